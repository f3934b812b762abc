package io.kubevirt.ferry.volumes.simulation;

import io.kubevirt.ferry.api.LeftOutPolicy;
import io.kubevirt.ferry.api.MachineUpdatePolicy;
import io.kubevirt.ferry.api.MigratedVolume;
import io.kubevirt.ferry.api.ReclaimPolicy;
import io.kubevirt.ferry.api.VolumeMigrationSpec;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a schedule is about: the VM, what is asked for, what the machines make of it, and what people do when. */
final class Scenario {
    /** Within so many transitions people do what they do. */
    static final int BUSY = 260;

    /** What ends a run in the middle. */
    private static final List<Event> OFTEN = List.of(
            Event.DELETES_THE_VOLUME_MIGRATION,
            Event.RESTARTS_THE_VM,
            Event.STOPS_THE_VM,
            Event.SHUTS_THE_GUEST_DOWN,
            Event.CANCELS_A_MIGRATION,
            Event.MIGRATES_THE_VM);

    /** From the first touch of the VM to the end of its migration. */
    private static final List<Move> MIDDLE = List.copyOf(EnumSet.of(
            Move.OPERATOR_ACTS,
            Move.MIGRATED_VOLUMES,
            Move.VMI_VOLUMES,
            Move.VOLUMES_CHANGE_TRUE,
            Move.VMIM_PENDING,
            Move.POD_BUILT,
            Move.POD_ADMITTED,
            Move.POD_STORED,
            Move.VMIM_SCHEDULED,
            Move.HAND_OFF,
            Move.VMIM_TARGET_READY,
            Move.COPY_STARTS,
            Move.COPY_FAILS,
            Move.VMIM_FAILED,
            Move.GUEST_HANDED_OVER,
            Move.GUEST_REPORTED,
            Move.ATTACHMENT_CREATE,
            Move.VM_MIRROR,
            Move.NODE_NAME,
            Move.MIGRATION_COMPLETED,
            Move.VMIM_SUCCEEDED,
            Move.CANCEL_VOLUMES,
            Move.CANCEL_STATUS));

    int disks;
    boolean hotplugged;
    boolean dataVolumes;
    boolean leftOut;

    @Nullable String strategy;

    boolean manual;
    int backoffLimit;
    List<ReclaimPolicy> reclaim = List.of(ReclaimPolicy.Delete, ReclaimPolicy.Retain);
    LeftOutPolicy leftOutPolicy = LeftOutPolicy.Accept;

    boolean liveMigrate = true;
    boolean refused;
    boolean late;
    /** Weights of the ways in which an attempt ends. */
    private double success = 1;

    private double failure = 1;

    /** What people do, in this order. */
    final List<Cue> cues = new ArrayList<>();
    /** What hardly ever comes first where anything else is possible. */
    final Set<Move> slow = EnumSet.noneOf(Move.class);
    /** How the first attempts end; after them it is drawn. */
    final Deque<Vmim.Fate> fates = new ArrayDeque<>();

    private final Chance chance;

    private Scenario(Chance chance) {
        this.chance = chance;
    }

    /** Two disks, nothing special, every attempt succeeds. */
    static Scenario plain(Chance chance) {
        var scenario = new Scenario(chance);
        scenario.disks = 2;
        scenario.backoffLimit = 1;
        return scenario;
    }

    static Scenario drawn(Chance chance) {
        var scenario = new Scenario(chance);
        scenario.disks = chance.oneOf(1, 2, 2);
        scenario.hotplugged = chance.of(0.12);
        scenario.dataVolumes = chance.of(0.2);
        scenario.leftOut = chance.of(0.1);
        scenario.strategy = chance.oneOf(null, null, null, "Replacement", Vm.MIGRATION);
        scenario.manual = chance.of(0.12);
        scenario.backoffLimit = chance.below(3);
        scenario.reclaim = List.of(scenario.reclaim(), scenario.reclaim());
        scenario.leftOutPolicy = chance.of(0.7) ? LeftOutPolicy.Accept : LeftOutPolicy.Reject;
        scenario.liveMigrate = chance.of(0.8);
        scenario.refused = chance.of(0.07);
        scenario.late = chance.of(0.1);
        scenario.success = chance.oneOf(0.0, 0.5, 1.0, 1.0);
        scenario.failure = chance.oneOf(0.4, 0.8, 1.0);
        for (int i = chance.oneOf(0, 0, 1, 1, 1, 2, 2, 3, 4); i > 0; i--) {
            scenario.cues.add(cue(chance));
        }
        return scenario;
    }

    private static Cue cue(Chance chance) {
        if (chance.of(0.03)) {
            // before KubeVirt has changed the VMI
            return Cue.after(Move.MIGRATED_VOLUMES, Event.DELETES_THE_VOLUME_MIGRATION);
        }
        var event = chance.of(0.4) ? chance.oneOf(OFTEN) : chance.oneOf(Event.values());
        return chance.of(0.6) ? Cue.after(chance.oneOf(MIDDLE), event) : Cue.after(chance.below(BUSY), event);
    }

    private ReclaimPolicy reclaim() {
        return chance.oneOf(ReclaimPolicy.Delete, ReclaimPolicy.Retain);
    }

    Machines.Plan plan() {
        return new Machines.Plan(fate(), chance.between(500, 20_000));
    }

    private Vmim.Fate fate() {
        if (!fates.isEmpty()) {
            return fates.remove();
        }
        if (chance.of(success)) {
            return Vmim.Fate.SUCCEED;
        }
        return chance.of(failure)
                ? chance.oneOf(Vmim.Fate.FAIL, Vmim.Fate.FAIL, Vmim.Fate.HANG)
                : chance.oneOf(Vmim.Fate.SPLIT, Vmim.Fate.SPLIT_UNSEEN);
    }

    /** The VM with its claims and the destinations, as far as they are there from the start. */
    void prepare(Cluster cluster) {
        for (int i = 0; i < disks; i++) {
            var claim = cluster.addClaim("src-" + i);
            if (dataVolumes) {
                var dataVolume = new DataVolume(claim.name, cluster.fresh("dv"));
                dataVolume.version = cluster.nextVersion();
                cluster.dataVolumes.put(dataVolume.name, dataVolume);
                claim.owner = dataVolume;
            }
            if (!late) {
                cluster.addClaim("dst-" + i);
            }
            cluster.addClaim("third-" + i);
        }
        if (leftOut) {
            cluster.addClaim("left");
        }
        cluster.liveMigrate = liveMigrate;
        cluster.manual = manual;
        cluster.refuses = refused ? "invalid volumes to update with migration: shareable: [d0]" : null;
        makeVm(cluster);
    }

    /** The VM as its owner wants it. */
    void makeVm(Cluster cluster) {
        var volumes = new ArrayList<Volume>();
        var templates = new ArrayList<Vm.Template>();
        for (int i = 0; i < disks; i++) {
            volumes.add(new Volume("d" + i, "src-" + i, dataVolumes, hotplugged && i == disks - 1));
            if (dataVolumes) {
                templates.add(new Vm.Template("src-" + i, "blank " + i));
            }
        }
        if (leftOut) {
            volumes.add(Volume.of("left", "left"));
        }
        var vm = new Vm("vm", cluster.fresh("vm"), List.copyOf(volumes));
        vm.strategy = strategy;
        vm.templates = List.copyOf(templates);
        cluster.vm = vm;
        cluster.touch(vm);
    }

    /** Somebody asks for the volumes to be moved. */
    Request ask(Cluster cluster, String name, String from, String to, int count) {
        var moved = new ArrayList<MigratedVolume>();
        for (int i = 0; i < count; i++) {
            moved.add(new MigratedVolume(from + i, to + i, reclaim.get(i)));
        }
        var spec = new VolumeMigrationSpec(
                moved,
                null,
                manual ? MachineUpdatePolicy.Manual : MachineUpdatePolicy.Automatic,
                leftOutPolicy,
                backoffLimit,
                null);
        var request = new Request(name, cluster.fresh("volmig"), cluster.now, spec);
        cluster.touch(request);
        cluster.requests.put(name, request);
        return request;
    }
}
