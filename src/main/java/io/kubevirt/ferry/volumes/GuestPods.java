package io.kubevirt.ferry.volumes;

import io.fabric8.kubernetes.api.model.Pod;
import io.kubevirt.ferry.api.Progress.Guest;
import io.kubevirt.ferry.kubevirt.MigrationState;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstance;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Where the guest is: what the pod mounts in which it runs, or last ran, with its attachment pods. What VM and VMI name is
 * only what it is to be.
 *
 * @param pods launcher pods and attachment pods of the VMI, of any phase; others among them do no harm
 */
record GuestPods(VirtualMachineInstance vmi, List<Pod> pods, List<Move> moves) {

    /** The claims on which the guest of a VMI that is not over runs; absent if that is not clear. */
    Optional<Guest> running() {
        return on(false);
    }

    /** The claims on which the guest of a VMI that is over last ran, by what is left of its pod. */
    Optional<Guest> last() {
        return on(true);
    }

    /**
     * The claim of each volume of a guest that clearly runs on sources and destinations at once: a migration of before the
     * fence took it along in the middle of KubeVirt's change. Empty if it does not.
     */
    Map<String, String> between() {
        var mounted = launchers(false).stream()
                .map(pod -> claims(pod, false))
                .distinct()
                .toList();
        if (mounted.size() != 1 || side(mounted.getFirst()).isPresent()) {
            return Map.of();
        }
        var claims = mounted.getFirst();
        return moves.stream().allMatch(move -> claims.contains(move.source()) != claims.contains(move.destination()))
                ? moves.stream()
                        .collect(Collectors.toMap(
                                Move::volume,
                                move -> claims.contains(move.source()) ? move.source() : move.destination()))
                : Map.of();
    }

    /** The claims that the guest of that launcher pod has, ended or not. */
    Optional<Guest> of(Pod launcher) {
        return side(claims(launcher, true));
    }

    private Optional<Guest> on(boolean terminatedToo) {
        var sides = launchers(terminatedToo).stream()
                .map(launcher -> side(claims(launcher, terminatedToo)))
                .distinct()
                .toList();
        return sides.size() == 1 ? sides.getFirst() : Optional.empty();
    }

    /** The pods in which the guest may be. */
    private List<Pod> launchers(boolean terminatedToo) {
        var there = pods.stream()
                .filter(pod -> Pods.launches(pod, vmi.getMetadata().getUid())
                        && Pods.isOn(pod, vmi.status().nodeName()))
                .filter(pod -> terminatedToo || !Pods.terminated(pod))
                .toList();
        return there.size() > 1 ? targets(there) : there;
    }

    /** Of several launchers the one in which the last migration that went well ended, if it is among them. */
    private List<Pod> targets(List<Pod> launchers) {
        var target = vmi.status()
                .migration()
                .filter(state -> state.completed() && !state.failed())
                .map(MigrationState::targetPod);
        var found = launchers.stream()
                .filter(pod ->
                        target.filter(pod.getMetadata().getName()::equals).isPresent())
                .toList();
        return found.isEmpty() ? launchers : found;
    }

    private Set<String> claims(Pod launcher, boolean terminatedToo) {
        var claims = new TreeSet<>(Pods.claims(launcher));
        pods.stream()
                .filter(pod -> Pods.attachesFor(pod, launcher))
                .filter(pod -> terminatedToo || !Pods.terminated(pod))
                .forEach(pod -> claims.addAll(Pods.claims(pod)));
        return claims;
    }

    private Optional<Guest> side(Set<String> claims) {
        if (moves.stream().allMatch(move -> claims.contains(move.destination()) && !claims.contains(move.source()))) {
            return Optional.of(Guest.Destinations);
        }
        return moves.stream().allMatch(move -> claims.contains(move.source()) && !claims.contains(move.destination()))
                ? Optional.of(Guest.Sources)
                : Optional.empty();
    }
}
