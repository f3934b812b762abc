package io.kubevirt.ferry.volumes.simulation;

import io.kubevirt.ferry.api.MigratedVolume;
import io.kubevirt.ferry.api.Names;
import io.kubevirt.ferry.api.Original;
import io.kubevirt.ferry.api.Progress;
import io.kubevirt.ferry.api.Verdict;
import io.kubevirt.ferry.api.VolumeMigrationCondition;
import io.kubevirt.ferry.api.VolumeMigrationStatus;
import io.kubevirt.ferry.volumes.Action;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The safety laws: some are judged with each write of the operator, the others when the cluster has come to rest. */
final class Laws {
    /** Verdicts after which the VM names what the operator meant it to name. */
    private static final Set<Verdict> DECIDED = Set.of(Verdict.Success, Verdict.RollBack, Verdict.RollForward);

    private final Cluster cluster;
    /** The last status of each VolumeMigration, gone ones included. */
    final Map<String, VolumeMigrationStatus> last = new LinkedHashMap<>();
    /** Each VolumeMigration that ever had a status, gone ones included. */
    private final Map<String, Request> known = new LinkedHashMap<>();
    /** Verdicts and reasons that were written. */
    final Set<String> situations = new TreeSet<>();
    /** The VM as it was before the operator first changed it, with what people changed since. */
    @Nullable Vm untouched;
    /** What the strategy may be in the end: what it was, or what people made it. */
    private final Set<Optional<String>> strategies = new HashSet<>();
    /** The VM as it was before the newest run changed it. */
    @Nullable private Vm beforeRun;

    private int changes;
    /** Since which version DataSources and DataVolumes point at claims. */
    private final Map<String, Long> namedSince = new HashMap<>();

    Laws(Cluster cluster) {
        this.cluster = cluster;
    }

    /** The VM of before is gone. */
    void forget() {
        untouched = null;
        beforeRun = null;
    }

    /** How often the operator has put a VM on destinations. */
    int changes() {
        return changes;
    }

    void peopleChose(@Nullable String strategy) {
        strategies.add(Optional.ofNullable(strategy));
    }

    /** A status was written. */
    void recorded(Request request) {
        var status = Story.present(request.status);
        var before = last.put(request.uid, status);
        known.put(request.uid, request);
        status.run().ifPresent(run -> situations.add("verdict " + run.progress().verdict()));
        if (verdict(request) == Verdict.RollForward && cluster.manual) {
            // its user was told to take it out, and whether he puts it back is his business
            strategies.add(Optional.empty());
        }
        status.conditions().forEach(condition -> situations.add("reason " + condition.reason()));
        var ends = before != null && open(before) && !open(status);
        if (ends && DECIDED.contains(verdict(request))) {
            namesNewest("the run ends");
        }
    }

    void operatorWrote(Action action, Vm before, Vm after) {
        if (action instanceof Action.ChangeVolumes) {
            changes++;
            beforeRun = before;
            if (untouched == null) {
                strategies.add(Optional.ofNullable(before.strategy));
                untouched = before.copy();
                untouched.annotations.remove(Names.VOLUME_MIGRATION);
            }
        }
        if (!after.volumes.equals(before.volumes)) {
            after.volumes.forEach(volume -> cluster.storage.unwant(volume.claim()));
        }
    }

    /**
     * The operator deletes a claim, or the DataVolume that owns it.
     *
     * @param looked the version of the cluster when it began to look who names the claim: nobody can see what comes later
     */
    void deletes(String claim, long looked) {
        if (cluster.storage.newest(claim)) {
            broken(Law.CLAIMS_IN_USE_STAY, claim + " is deleted, which holds the newest data");
        }
        if (cluster.vm != null && names(cluster.vm.volumes, claim) && cluster.vm.specified <= looked) {
            broken(Law.CLAIMS_IN_USE_STAY, claim + " is deleted, which the VM names");
        }
        if (cluster.vmi != null && names(cluster.vmi.volumes, claim) && cluster.vmi.named <= looked) {
            broken(Law.CLAIMS_IN_USE_STAY, claim + " is deleted, which the VMI names");
        }
        for (var pod : cluster.pods.values()) {
            if (!pod.phase.last() && pod.claims.containsValue(claim) && pod.born <= looked) {
                broken(Law.CLAIMS_IN_USE_STAY, claim + " is deleted, which the pod " + pod.name + " names");
            }
        }
        if (destinationGoing(claim, looked)) {
            broken(Law.CLAIMS_IN_USE_STAY, claim + " is deleted, though somebody has deleted its destination");
        }
        if (pointedAt(claim) && namedSince.getOrDefault(claim, 0L) <= looked) {
            broken(Law.CLAIMS_IN_USE_STAY, claim + " is deleted, which a DataSource or DataVolume points at");
        }
        for (var request : cluster.requests.values()) {
            if (!finished(request)
                    && names(request, claim)
                    && !marked(claim, request)
                    && (verdict(request) != Verdict.Success || open(request))
                    && request.born <= looked) {
                broken(Law.CLAIMS_IN_USE_STAY, claim + " is deleted, which " + request.name + " names");
            }
        }
    }

    /** Whether it is the one that deletes the claim. */
    private boolean marked(String claim, Request request) {
        var there = cluster.claims.get(claim);
        var owner = cluster.dataVolumes.get(claim);
        return Stream.of(there == null ? null : there.annotations, owner == null ? null : owner.annotations)
                .filter(Objects::nonNull)
                .map(annotations -> annotations.getOrDefault(Names.VOLUME_MIGRATION, ""))
                .anyMatch(mark -> mark.startsWith(request.uid + "."));
    }

    /** Something that is no user of the claim points at it since that version. */
    void named(String claim, long since) {
        namedSince.put(claim, Math.max(since, namedSince.getOrDefault(claim, 0L)));
    }

    private boolean destinationGoing(String claim, long looked) {
        return cluster.requests.values().stream()
                .filter(request -> verdict(request) == Verdict.Success)
                .flatMap(request -> request.spec.migratedVolume().stream())
                .filter(moved -> moved.sourcePvc().equals(claim))
                .map(moved -> cluster.claims.get(moved.destinationPvc()))
                .anyMatch(destination -> destination != null && destination.deleting && destination.version <= looked);
    }

    private boolean pointedAt(String claim) {
        return cluster.dataSources.containsValue(claim)
                || cluster.dataVolumes.values().stream().anyMatch(dataVolume -> claim.equals(dataVolume.source));
    }

    private static boolean names(Iterable<Volume> volumes, String claim) {
        for (var volume : volumes) {
            if (volume.claim().equals(claim)) {
                return true;
            }
        }
        return false;
    }

    private static boolean names(Request request, String claim) {
        return request.spec.migratedVolume().stream()
                .anyMatch(m -> m.sourcePvc().equals(claim) || m.destinationPvc().equals(claim));
    }

    private void namesNewest(String when) {
        if (cluster.meddled || cluster.vm == null || cluster.vm.deleting) {
            return;
        }
        for (var volume : cluster.vm.volumes) {
            if (!cluster.storage.newest(volume.name(), volume.claim())) {
                broken(Law.NEWEST_DATA, when + " and the VM names " + volume + ", which is stale");
            }
        }
    }

    /** KubeVirt may go on for ever with what somebody else began, but not we. */
    void patienceEnds() {
        for (var request : cluster.requests.values()) {
            if (!ended(request) && !waits(request) && !excused(request)) {
                broken(Law.IT_ENDS, request.name + " goes on and on: " + request);
            }
        }
    }

    /** Everything has ended that ends, and no fault is left. */
    void atRest() {
        for (var request : cluster.requests.values()) {
            if (!ended(request) && !waits(request) && !excused(request)) {
                broken(Law.IT_ENDS, request.name + " does not end: " + request);
            }
        }
        if (cluster.vm == null || cluster.vm.deleting || stuckForPeople()) {
            return;
        }
        leftNothing();
        if (cluster.meddled || cluster.instanceForced) {
            return;
        }
        if (cluster.manual && (last.values().stream().noneMatch(Laws::ranToItsEnd) || changedForNobody())) {
            // nobody but its user has written the VM
            return;
        }
        namesNewest("at rest");
        agree();
    }

    /** Its user has put the VM on destinations, and stopped it or thought better before any run could take it over. */
    private boolean changedForNobody() {
        var vm = Story.present(cluster.vm);
        return known.values().stream()
                .filter(request -> request.status == null || !ranToItsEnd(request.status))
                .flatMap(request -> request.spec.migratedVolume().stream())
                .map(MigratedVolume::destinationPvc)
                .anyMatch(claim -> names(vm.volumes, claim) && !movedByRun(claim));
    }

    private boolean movedByRun(String claim) {
        return known.values().stream()
                .filter(request -> request.status != null && ranToItsEnd(request.status))
                .anyMatch(request -> names(request, claim));
    }

    private void agree() {
        var vm = Story.present(cluster.vm);
        var vmi = cluster.vmi;
        if (vmi == null || vmi.phase.last()) {
            return;
        }
        if (!vmi.migratedVolumes.isEmpty()) {
            broken(Law.NEWEST_DATA, "migratedVolumes is left: " + vmi.migratedVolumes);
        }
        var pod = cluster.guestPod();
        var mounted = pod == null ? Map.<String, String>of() : cluster.mounted(pod);
        for (var volume : vm.volumes) {
            var running = Vm.find(vmi.volumes, volume.name());
            if (running == null && volume.name().equals("plugged") && vm.status.restartRequired != null) {
                // nothing is plugged in before the restart
                continue;
            }
            if (running == null || !running.claim().equals(volume.claim())) {
                broken(Law.NEWEST_DATA, "the VM names " + volume + ", the VMI " + running);
            }
            if (pod != null && !volume.claim().equals(mounted.get(volume.name()))) {
                broken(Law.NEWEST_DATA, "the VM names " + volume + ", the guest's pod " + mounted);
            }
        }
    }

    private void leftNothing() {
        var vm = Story.present(cluster.vm);
        if (vm.annotations.containsKey(Names.VOLUME_MIGRATION)) {
            broken(Law.PUT_BACK_AS_RECORDED, "the lock is left on the VM");
        }
        if (cluster.vmi != null
                && (cluster.vmi.finalizers.contains(Names.VOLUME_MIGRATION)
                        || cluster.vmi.labels.containsKey(Names.VOLUME_MIGRATION))) {
            broken(Law.PUT_BACK_AS_RECORDED, "hold or fence is left on the VMI");
        }
        for (var request : cluster.requests.values()) {
            if (!request.finalizers.isEmpty()) {
                broken(Law.PUT_BACK_AS_RECORDED, "the finalizer is left on " + request.name);
            }
        }
    }

    /** After the next restart of the VM. */
    void restarted() {
        var vm = cluster.vm;
        if (vm == null
                || vm.deleting
                || cluster.meddled
                || cluster.instanceForced
                || untouched == null
                || stuckForPeople()) {
            return;
        }
        if (vm.annotations.containsKey(Names.RESTORE_STRATEGY)) {
            broken(Law.PUT_BACK_AS_RECORDED, "the restore annotation is left on the VM");
        }
        if (!strategies.contains(Optional.ofNullable(vm.strategy))) {
            broken(Law.PUT_BACK_AS_RECORDED, "the strategy is " + vm.strategy + ", not one of " + strategies);
        }
        if (vm.hardware != untouched.hardware
                || vm.liveUpdatable != untouched.liveUpdatable
                || vm.run != untouched.run
                || !vm.annotations.equals(untouched.annotations)) {
            broken(Law.PUT_BACK_AS_RECORDED, "something else was changed: " + vm + ", it was " + untouched);
        }
        var old = beforeRun;
        if (old != null
                && claims(vm).equals(claims(old))
                && !(vm.volumes.equals(old.volumes) && vm.templates.equals(old.templates))) {
            broken(Law.PUT_BACK_AS_RECORDED, "put back is " + vm + ", it was " + old);
        }
    }

    private static List<String> claims(Vm vm) {
        return vm.volumes.stream().map(Volume::claim).toList();
    }

    /** Nothing more comes of it: ended for good, or never begun and waiting. */
    boolean ended(Request request) {
        return finished(request)
                || Optional.ofNullable(request.status)
                        .map(status ->
                                status.run().map(run -> !run.progress().open()).orElse(true))
                        .orElse(false);
    }

    private static boolean finished(Request request) {
        return request.status != null
                && (is(request.status, "Ready") || is(request.status, "Stalled"))
                && request.status.run().map(run -> !run.progress().open()).orElse(true);
    }

    /** It says what a person has to do. */
    private static boolean waits(Request request) {
        var verdict = verdict(request);
        return verdict == Verdict.RestartNeeded || verdict == Verdict.DataLocationUnknown;
    }

    /** A safety catch was pulled, or a person does not do what the message says. */
    private boolean excused(Request request) {
        return (cluster.meddled
                && Optional.ofNullable(request.status)
                        .flatMap(status -> status.condition("Ready"))
                        .filter(ready -> ready.reason().equals("WaitingForUser"))
                        .isPresent());
    }

    private boolean stuckForPeople() {
        return cluster.requests.values().stream().anyMatch(Laws::waits);
    }

    static @Nullable Verdict verdict(Request request) {
        return request.status == null
                ? null
                : request.status
                        .run()
                        .map(run -> run.progress())
                        .map(Progress::verdict)
                        .orElse(null);
    }

    private static boolean ranToItsEnd(VolumeMigrationStatus status) {
        return status.run()
                .map(Original::progress)
                .filter(run -> !run.open() && run.verdict() != Verdict.GiveUp)
                .isPresent();
    }

    /** Whether a run is open. */
    static boolean open(Request request) {
        return request.status != null && open(request.status);
    }

    private static boolean open(VolumeMigrationStatus status) {
        return status.run().filter(run -> run.progress().open()).isPresent();
    }

    private static boolean is(VolumeMigrationStatus status, String type) {
        return status.condition(type).filter(VolumeMigrationCondition::holds).isPresent();
    }

    private void broken(Law law, String how) {
        cluster.violated(law, how);
    }
}
