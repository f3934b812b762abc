package io.kubevirt.ferry.volumes;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.kubevirt.ferry.api.Attempts;
import io.kubevirt.ferry.api.Names;
import io.kubevirt.ferry.api.Original;
import io.kubevirt.ferry.api.Progress;
import io.kubevirt.ferry.api.Progress.Guest;
import io.kubevirt.ferry.api.Progress.Step;
import io.kubevirt.ferry.api.VolumeMigration;
import io.kubevirt.ferry.kubevirt.MigrationState;
import io.kubevirt.ferry.kubevirt.VirtualMachine;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstance;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration;
import io.kubevirt.ferry.volumes.Move.Side;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * An observation in the light of the run that it is about: the questions that the steps ask. Whatever does not belong to
 * the run, another VM or VMI of the same name above all, is not seen through it.
 */
record View(Observation seen, Original run, List<Move> moves, Settings settings, Instant now) {

    static View of(Observation seen, Original run, Settings settings, Instant now) {
        return new View(seen, run, Move.all(seen.migration(), run), settings, now);
    }

    VolumeMigration migration() {
        return seen.migration();
    }

    Progress progress() {
        return run.progress();
    }

    Attempts attempts() {
        return run.attempts();
    }

    boolean manual() {
        return migration().getSpec().manual();
    }

    /** Whether the user has deleted the VolumeMigration. */
    boolean deleted() {
        return migration().getMetadata().getDeletionTimestamp() != null;
    }

    // The VM

    /** The VM is gone or going, with everything that belongs to it. */
    boolean machineLeaving() {
        return seen.namespaceTerminating()
                || machineOfRun()
                        .filter(vm -> vm.getMetadata().getDeletionTimestamp() == null)
                        .isEmpty();
    }

    boolean machineThere() {
        return machineOfRun().isPresent();
    }

    private Optional<VirtualMachine> machineOfRun() {
        return seen.machine().filter(vm -> vm.getMetadata().getUid().equals(run.virtualMachineUid()));
    }

    /** The VM, which is not {@link #machineLeaving()}. */
    VirtualMachine machine() {
        return machineOfRun().orElseThrow();
    }

    Side machineSide() {
        return Side.of(machine().volumes(), moves);
    }

    Action.Machine machineRef() {
        var vm = machine().getMetadata();
        return new Action.Machine(vm.getName(), vm.getUid(), vm.getGeneration());
    }

    /** What the lock of this run says. */
    String lock() {
        return Marks.lock(migration(), run.run(), attempts().lastBefore());
    }

    Optional<String> machineLock() {
        return annotation(machine().getMetadata(), Names.VOLUME_MIGRATION);
    }

    /** Whether the VM has the lock of this run. */
    boolean locked() {
        return machineLock().filter(lock()::equals).isPresent();
    }

    /** What the strategy is to become when the VMI is gone, if that is written on the VM for this VMI. */
    Optional<Marks.Restore> restore() {
        return annotation(machine().getMetadata(), Names.RESTORE_STRATEGY)
                .flatMap(Marks.Restore::parse)
                .filter(restore -> restore.instance().equals(run.virtualMachineInstanceUid()));
    }

    Optional<String> strategyBefore() {
        return Optional.of(run.before().updateVolumesStrategy()).filter(strategy -> !strategy.isEmpty());
    }

    boolean restartRequired() {
        return machine().is(VirtualMachine.RESTART_REQUIRED);
    }

    /** Whether virt-controller, which starts VMs from its cache, has seen the VM as it is. */
    boolean machineSeenByKubeVirt() {
        return machine().status().desiredGeneration() >= machine().getMetadata().getGeneration();
    }

    // The VMI

    /** The VMI of the run, ended or not; absent when it is gone, or another one is in its place. */
    Optional<VirtualMachineInstance> instance() {
        return seen.instance().filter(vmi -> vmi.getMetadata().getUid().equals(run.virtualMachineInstanceUid()));
    }

    /** Whether a VMI is there that is not that of the run. */
    boolean anotherInstance() {
        return seen.instance().isPresent() && instance().isEmpty();
    }

    /** The VMI of the run, while its guest may run. */
    Optional<VirtualMachineInstance> guest() {
        return instance().filter(vmi -> !vmi.ended());
    }

    /** Whether the VMI is gone, over, or about to be. */
    boolean stopping() {
        return guest().filter(vmi -> vmi.getMetadata().getDeletionTimestamp() == null)
                .isEmpty();
    }

    Side side(VirtualMachineInstance vmi) {
        return Side.of(vmi.volumes(), moves);
    }

    boolean guestIs(Side side) {
        return guest().filter(vmi -> side(vmi) == side).isPresent();
    }

    boolean volumesChanging(VirtualMachineInstance vmi) {
        return vmi.is(VirtualMachineInstance.VOLUMES_CHANGE);
    }

    /** No volumes of the VMI are under way; that an earlier change was cancelled, or could not begin, stays written on it. */
    boolean calm(VirtualMachineInstance vmi) {
        return !volumesChanging(vmi) && vmi.status().migratedVolumes().isEmpty();
    }

    String mark() {
        return Marks.mark(migration(), run.run());
    }

    Optional<String> instanceMark(VirtualMachineInstance vmi) {
        return label(vmi.getMetadata(), Names.VOLUME_MIGRATION);
    }

    boolean heldBy(VirtualMachineInstance vmi) {
        return vmi.getMetadata().getFinalizers().contains(Names.VOLUME_MIGRATION);
    }

    /** Whether hold and fence of this run are on the VMI. */
    boolean held() {
        return instance()
                .filter(vmi ->
                        heldBy(vmi) && instanceMark(vmi).filter(mark()::equals).isPresent())
                .isPresent();
    }

    /** The state of the newest migration, as far as it belongs to the run. */
    Optional<MigrationState> migrationState() {
        if (progress().step() == Step.Recorded || progress().step() == Step.Held) {
            return Optional.empty();
        }
        return instance()
                .flatMap(vmi -> vmi.status().migration())
                .filter(state -> state.migrationUid() != null
                        && !state.migrationUid().isEmpty()
                        && !state.migrationUid().equals(attempts().lastBefore()));
    }

    /** The migration after which the guest ran on the destinations, by what is to be seen now. */
    Optional<String> handedOver() {
        return migrationState()
                .filter(MigrationState::handedOver)
                .filter(this::movedVolumes)
                .map(MigrationState::migrationUid);
    }

    /**
     * Whether a migration moved the guest, but nobody knows onto what: its target pod cannot be seen any more, or not all
     * that it had, and where the user changes the VM it may have been built of the sources, before there was a fence.
     */
    boolean handOverUnclear() {
        return manual()
                && migrationState()
                        .filter(MigrationState::handedOver)
                        .filter(state -> targetOn(state).isEmpty())
                        .isPresent();
    }

    private boolean movedVolumes(MigrationState state) {
        return manual()
                ? targetOn(state).filter(Guest.Destinations::equals).isPresent()
                : targetOf(state).filter(this::mountsSource).isEmpty();
    }

    private Optional<Guest> targetOn(MigrationState state) {
        return targetOf(state).flatMap(pod -> guestPods().flatMap(pods -> pods.of(pod)));
    }

    private Optional<Pod> targetOf(MigrationState state) {
        return seen.pods().stream()
                .filter(pod -> pod.getMetadata().getName().equals(state.targetPod()))
                .findFirst();
    }

    // The VMIMs

    /** Every VMIM of the VMI that is not over, whoever made it. */
    List<VirtualMachineInstanceMigration> unfinished() {
        return seen.migrations().stream().filter(vmim -> !vmim.finished()).toList();
    }

    /** Whether no migration is on its way: the fence keeps those that are not over from their target pods. */
    boolean allWaitForPods() {
        return unfinished().stream()
                .allMatch(vmim -> !vmim.hasRun() && targetPods(vmim).isEmpty());
    }

    /** The VMIMs of this run, whoever made them. */
    List<VirtualMachineInstanceMigration> ofRun() {
        return seen.migrations().stream()
                .filter(vmim -> !attempts().before().contains(uid(vmim)))
                .toList();
    }

    Optional<VirtualMachineInstanceMigration> migration(String uid) {
        return seen.migrations().stream().filter(vmim -> uid(vmim).equals(uid)).findFirst();
    }

    static String uid(VirtualMachineInstanceMigration vmim) {
        return vmim.getMetadata().getUid();
    }

    List<Pod> targetPods(VirtualMachineInstanceMigration vmim) {
        return seen.pods().stream()
                .filter(pod -> Pods.migrationUid(pod).filter(uid(vmim)::equals).isPresent())
                .toList();
    }

    // Where the guest is

    private Optional<GuestPods> guestPods() {
        return instance().map(vmi -> new GuestPods(vmi, seen.pods(), moves));
    }

    /** The claims on which the guest of a VMI that is not over runs, by its pod; absent if that is not clear. */
    Optional<Guest> guestPodOn() {
        return guestPods().flatMap(GuestPods::running);
    }

    /** The claim of each volume of a guest that runs on sources and destinations at once; empty if it does not. */
    Map<String, String> guestBetween() {
        return guestPods().map(GuestPods::between).orElse(Map.of());
    }

    /** The claims on which the guest of a VMI that is over last ran, by what is left of its pod. */
    Optional<Guest> lastPodOn() {
        return guestPods().flatMap(GuestPods::last);
    }

    boolean mountsSource(Pod pod) {
        var claims = Pods.claims(pod);
        return moves.stream().anyMatch(move -> claims.contains(move.source()));
    }

    static Optional<String> annotation(ObjectMeta meta, String name) {
        return Optional.ofNullable(Objects.requireNonNullElse(meta.getAnnotations(), Map.<String, String>of())
                .get(name));
    }

    static Optional<String> label(ObjectMeta meta, String name) {
        return Optional.ofNullable(Objects.requireNonNullElse(meta.getLabels(), Map.<String, String>of())
                .get(name));
    }
}
