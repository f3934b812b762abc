package io.kubevirt.ferry.volumes.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A cluster told by hand, without our operator: one VM with two disks, and somebody who edits it naively. */
final class Story {
    static final List<String> SOURCES = List.of("src-0", "src-1");
    static final List<String> DESTINATIONS = List.of("dst-0", "dst-1");

    /** What the machines make of every attempt from now on. */
    Vmim.Fate fate = Vmim.Fate.SUCCEED;

    final World world = new World(() -> new Machines.Plan(fate, 3_000));
    final Cluster cluster = world.cluster;

    /** A VM that runs from the sources; the destinations exist and are empty. */
    static Story running() {
        return of(Volume.of("d0", "src-0"), Volume.of("d1", "src-1"));
    }

    static Story of(Volume... volumes) {
        var story = new Story();
        for (var volume : volumes) {
            story.cluster.addClaim(volume.claim());
        }
        DESTINATIONS.forEach(story.cluster::addClaim);
        story.cluster.vm = new Vm("vm", story.cluster.fresh("vm"), List.of(volumes));
        story.cluster.touch(story.cluster.vm);
        story.world.until("the guest runs", () -> story.cluster.guest != null);
        return story.pass(1);
    }

    Vm vm() {
        return present(cluster.vm);
    }

    Vmi vmi() {
        return present(cluster.vmi);
    }

    /** The claims under the guest, in the order of the volumes. */
    List<String> guestOn() {
        return List.copyOf(cluster.mounted(present(cluster.guestPod())).values());
    }

    List<String> vmNames() {
        return vm().volumes.stream().map(Volume::claim).toList();
    }

    List<String> vmiNames() {
        return vmi().volumes.stream().map(Volume::claim).toList();
    }

    Vmim vmim() {
        return cluster.vmims.values().stream().reduce((a, b) -> b).orElseThrow();
    }

    /** One update of the VM: the strategy and the claims of its first volumes. */
    Story edit(@Nullable String strategy, List<String> claims) {
        var vm = vm();
        vm.strategy = strategy;
        var volumes = new ArrayList<>(vm.volumes);
        for (int i = 0; i < claims.size(); i++) {
            volumes.set(i, volumes.get(i).onClaim(claims.get(i)));
        }
        vm.volumes = List.copyOf(volumes);
        cluster.touchSpec(vm);
        return this;
    }

    Story migrate() {
        return edit(Vm.MIGRATION, DESTINATIONS);
    }

    Story putBack(@Nullable String strategy) {
        return edit(strategy, SOURCES);
    }

    /** A VMIM made by hand, without any mark. */
    Vmim ordinary() {
        if (!cluster.mayMigrate()) {
            throw new AssertionError("virt-api refuses the VMIM\n" + world.trace);
        }
        return cluster.addVmim(cluster.fresh("ordinary"), Map.of(), Map.of());
    }

    Story deleteVmi() {
        cluster.deleteVmi(vmi());
        return this;
    }

    Story stop() {
        vm().run = false;
        cluster.touchSpec(vm());
        return this;
    }

    /** The guest ends by itself. */
    Story shutDown() {
        vmi().phase = Vmi.Phase.SUCCEEDED;
        cluster.guest = null;
        cluster.touch(vmi());
        return this;
    }

    /** A restart by a person, with the pause that follows. */
    Story restart() {
        var old = vmi().uid;
        deleteVmi();
        world.until("a new guest runs", () -> cluster.guest != null && !cluster.guest.vmi.equals(old));
        return this;
    }

    Story after(Move move) {
        world.after(move);
        return this;
    }

    Story pass(long seconds) {
        world.pass(seconds * 1_000);
        return this;
    }

    boolean violated(String words) {
        return cluster.violations.stream().anyMatch(violation -> violation.how().contains(words));
    }

    static <T> T present(@Nullable T value) {
        if (value == null) {
            throw new AssertionError("it is not there");
        }
        return value;
    }
}
