package io.kubevirt.ferry.volumes.simulation;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * virt-controller's VM controller. A turn is planned from its caches, which may be old, and then carried out write by write,
 * each with the precondition that KubeVirt gives it; what fails is tried again in a new turn.
 */
final class VmController implements Actor {
    /** One write of a turn; false is a refusal, after which the turn only writes the status. */
    record Write(Move move, BooleanSupplier write) {}

    private static final long FIRST_RETRY = 10;

    private final Cluster cluster;
    private final VolumeUpdate volumeUpdate;

    @Nullable Vm cachedVm;

    @Nullable Vmi cachedVmi;

    private final Deque<Write> turn = new ArrayDeque<>();
    private Situation seen = Situation.NONE;
    /** UID of a VMI that was made and is not in the cache yet, as KubeVirt's expectations have it. */
    private String expected = "";

    private boolean failed;
    /** A turn that failed is tried again after a pause that grows. */
    private int failures;

    private long retryAt;

    VmController(Cluster cluster) {
        this.cluster = cluster;
        this.volumeUpdate = new VolumeUpdate(cluster);
    }

    @Override
    public void offer(Menu menu) {
        if (stale(cluster.vm == null ? 0 : cluster.vm.version, cachedVm == null ? 0 : cachedVm.version)) {
            menu.offer(Move.CACHE_VM, "vm", () -> cachedVm = cluster.vm == null ? null : cluster.vm.copy());
        }
        if (stale(cluster.vmi == null ? 0 : cluster.vmi.version, cachedVmi == null ? 0 : cachedVmi.version)) {
            menu.offer(Move.CACHE_VMI, "vmi", this::cacheVmi);
        }
        if (!turn.isEmpty()) {
            menu.offer(turn.peek().move(), "vm", this::next);
        } else if (cachedVm != null) {
            var vm = cachedVm;
            menu.wakeAt(vm.status.retryAfter, cluster.now);
            if (cluster.now < retryAt) {
                menu.wakeAt(retryAt, cluster.now);
            } else if (expected.isEmpty() && !seen.equals(situation(vm))) {
                menu.offer(Move.VM_SYNC, "vm", () -> plan(vm));
            }
        }
    }

    private static boolean stale(long stored, long cached) {
        return stored != cached;
    }

    private void cacheVmi() {
        cachedVmi = cluster.vmi == null ? null : cluster.vmi.copy();
        expected = "";
    }

    /** What a turn depends on; the same situation gives no new turn. */
    private record Situation(long vm, long vmi, boolean mayRetry, int claims) {
        static final Situation NONE = new Situation(-1, -1, false, 0);
    }

    private Situation situation(Vm vm) {
        return new Situation(
                vm.version,
                cachedVmi == null ? 0 : cachedVmi.version,
                cluster.now >= vm.status.retryAfter,
                cluster.claims.size());
    }

    private void next() {
        var write = turn.poll();
        if (!write.write().getAsBoolean()) {
            failed = true;
            seen = Situation.NONE;
            retryAt = cluster.now + (FIRST_RETRY << Math.min(failures++, 8));
            turn.removeIf(later -> !writesStatus(later) && later.move() != Move.VMI_MACHINE_FINALIZER);
            if (writesStatus(write)) {
                turn.clear();
            }
        }
    }

    private static boolean writesStatus(Write write) {
        return write.move() == Move.VM_STATUS || write.move() == Move.VM_MIRROR;
    }

    private void plan(Vm cached) {
        seen = situation(cached);
        if (!failed) {
            failures = 0;
        }
        failed = false;
        var before = cached.status;
        var vm = cached.copy();
        var vmi = cachedVmi == null || !cachedVmi.vmUid.equals(vm.uid) ? null : cachedVmi.copy();
        if (vm.deleting) {
            if (vmi == null) {
                turn.add(new Write(Move.VM_RELEASED, () -> release(vm)));
                return;
            }
            turn.add(new Write(Move.VMI_DELETE, () -> delete(vmi)));
        } else {
            RestartRequired.clear(vm, vmi);
            if (dataVolumesReady(vm) && !startOrStop(vm, vmi)) {
                RestartRequired.set(vm, vmi);
                if (vmi != null && vm.status.restartRequired == null) {
                    turn.addAll(volumeUpdate.plan(vm, vmi));
                    RestartRequired.clear(vm, vmi);
                } else if (vmi != null && !vm.volumes.equals(vmi.volumes)) {
                    cluster.comesUp(Subtlety.RESTART_REQUIRED_GUARDS);
                }
            }
        }
        var mirrors = vmi != null && vmi.volumesChange != before.volumesChange;
        turn.add(new Write(mirrors ? Move.VM_MIRROR : Move.VM_STATUS, () -> writeStatus(vm, before, vmi)));
        if (vmi != null && vmi.phase.last() && vmi.finalizers.contains(Vmi.MACHINE_FINALIZER)) {
            turn.add(new Write(Move.VMI_MACHINE_FINALIZER, () -> takeFinalizer(vmi)));
        }
    }

    /** KubeVirt makes the DataVolumes of templates whether the VM runs or not. */
    private boolean dataVolumesReady(Vm vm) {
        var ready = true;
        for (var template : vm.templates) {
            if (!cluster.dataVolumes.containsKey(template.name()) && !cluster.claims.containsKey(template.name())) {
                turn.add(new Write(Move.DATA_VOLUME_CREATE, () -> createDataVolume(template)));
                ready = false;
            }
        }
        return ready || !vm.run;
    }

    /** True when the turn starts or stops the VMI or there is none, after which KubeVirt looks at nothing else. */
    private boolean startOrStop(Vm vm, @Nullable Vmi vmi) {
        if (vmi != null) {
            if ((!vm.run || vmi.phase.last()) && !vmi.deleting) {
                turn.add(new Write(Move.VMI_DELETE, () -> delete(vmi)));
                return true;
            }
            return false;
        }
        if (vm.run && cluster.now < vm.status.retryAfter) {
            cluster.comesUp(Subtlety.CRASH_PAUSE);
        } else if (vm.run && !vm.status.manualRecoveryRequired) {
            vm.status.restartRequired = null;
            turn.add(new Write(Move.VMI_CREATE, () -> create(vm)));
        }
        return true;
    }

    private boolean createDataVolume(Vm.Template template) {
        if (cluster.namespaceDeleted || cluster.dataVolumes.containsKey(template.name())) {
            return false;
        }
        var made = new DataVolume(template.name(), cluster.fresh("dv"));
        made.version = cluster.nextVersion();
        cluster.dataVolumes.put(made.name, made);
        seen = Situation.NONE;
        return true;
    }

    private boolean create(Vm vm) {
        if (cluster.vmi != null || cluster.namespaceDeleted) {
            return false;
        }
        if (cluster.vm != null && cluster.vm.generation != vm.generation) {
            cluster.comesUp(Subtlety.STARTED_FROM_AN_OLD_VM);
        }
        var vmi = new Vmi("vm", cluster.fresh("vmi"), vm.uid, vm.volumes, vm.hardware);
        cluster.vmi = vmi;
        cluster.touch(vmi);
        expected = vmi.uid;
        return true;
    }

    private boolean delete(Vmi seenVmi) {
        var live = cluster.vmi;
        if (live != null && live.uid.equals(seenVmi.uid)) {
            cluster.deleteVmi(live);
        }
        return true;
    }

    private boolean release(Vm vm) {
        if (cluster.vm != null && cluster.vm.uid.equals(vm.uid)) {
            cluster.vm = null;
            cluster.nextVersion();
        }
        return true;
    }

    private boolean takeFinalizer(Vmi seenVmi) {
        var live = cluster.vmi;
        if (live == null || !live.uid.equals(seenVmi.uid) || !live.finalizers.equals(seenVmi.finalizers)) {
            return false;
        }
        live.finalizers.remove(Vmi.MACHINE_FINALIZER);
        cluster.touch(live);
        return true;
    }

    private boolean writeStatus(Vm vm, VmStatus before, @Nullable Vmi vmi) {
        VmStatusWriter.update(cluster.now, vm, vmi, failed ? List.of() : volumeUpdate.takenUp());
        var live = cluster.vm;
        if (live == null || !live.uid.equals(vm.uid)) {
            return true;
        }
        if (vm.status.same(before)) {
            return true;
        }
        if (live.version != vm.version) {
            return false;
        }
        live.status = vm.status;
        cluster.touch(live);
        return true;
    }
}
