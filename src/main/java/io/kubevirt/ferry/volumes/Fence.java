package io.kubevirt.ferry.volumes;

import io.fabric8.kubernetes.api.model.Pod;
import io.kubevirt.ferry.api.MigratedVolume;
import io.kubevirt.ferry.api.Names;
import io.kubevirt.ferry.api.Original;
import io.kubevirt.ferry.api.Progress.Guest;
import io.kubevirt.ferry.api.Verdict;
import io.kubevirt.ferry.api.VolumeMigration;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstance;
import io.kubevirt.ferry.kubevirt.Volume;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Whether a pod of a VMI under a run may be created. KubeVirt builds target pods from what it has cached of the VMI: one that
 * mounts the wrong claims would take the guest along without its volumes, or copy them onto themselves.
 */
public final class Fence {
    private Fence() {}

    /** Why a pod may not be created. */
    public record Refusal(String reason) {}

    /** Whether that pod needs a verdict at all: only target pods of migrations do. */
    public static boolean concerns(Pod pod) {
        return View.label(pod.getMetadata(), Names.VOLUME_MIGRATION).isPresent()
                && Pods.migrationUid(pod).isPresent();
    }

    /**
     * Absent if the pod may be created.
     *
     * @param pod a pod that {@link #concerns} says yes of
     * @param instance the VMI by the UID in the pod's label, read live
     * @param migrations the VolumeMigrations of the namespace, read live
     * @param pods lists the launcher and attachment pods of the VMI live, after the others were read; not asked where they
     *     do not decide
     */
    public static Optional<Refusal> refusal(
            Pod pod,
            Optional<VirtualMachineInstance> instance,
            List<VolumeMigration> migrations,
            Supplier<List<Pod>> pods) {
        var mark = View.label(pod.getMetadata(), Names.VOLUME_MIGRATION).orElse("");
        if (instance.isEmpty()) {
            return refuse("its VirtualMachineInstance is gone");
        }
        var vmi = instance.get();
        if (View.label(vmi.getMetadata(), Names.VOLUME_MIGRATION)
                .filter(mark::equals)
                .isEmpty()) {
            return refuse("it was made for a VirtualMachineInstance as it is no more");
        }
        var migration = owner(mark, migrations);
        if (migration.isEmpty()) {
            return refuse("the VolumeMigration of its VirtualMachineInstance is gone");
        }
        return closed(migration.get())
                .or(() -> wrongClaim(pod, vmi, migration.get()))
                .or(() -> guestElsewhere(vmi, migration.get(), pods));
    }

    private static Optional<Refusal> closed(VolumeMigration migration) {
        return switch (verdict(migration)) {
            case Run, Success -> Optional.empty();
            case RollBack, RollForward, GiveUp, Changed, RestartNeeded, DataLocationUnknown ->
                refuse("VolumeMigration " + migration.getMetadata().getName() + " is being ended");
        };
    }

    /**
     * While KubeVirt says that volumes change it copies, as if the guest were on the sources; else it hands the guest on
     * without a copy. A guest that is elsewhere would be left with half of its data, or copied onto itself.
     */
    private static Optional<Refusal> guestElsewhere(
            VirtualMachineInstance vmi, VolumeMigration migration, Supplier<List<Pod>> pods) {
        if (verdict(migration) == Verdict.Success) {
            return Optional.empty();
        }
        boolean copies = vmi.is(VirtualMachineInstance.VOLUMES_CHANGE);
        var from = copies ? Guest.Sources : Guest.Destinations;
        var moves = Move.all(migration, migration.status().run().orElseThrow());
        return new GuestPods(vmi, pods.get(), moves)
                        .running()
                        .filter(from::equals)
                        .isPresent()
                ? Optional.empty()
                : refuse(
                        copies
                                ? "KubeVirt would copy from the sources, and the guest's pod does not mount them"
                                : "it would take the guest to the destinations without a copy");
    }

    private static Verdict verdict(VolumeMigration migration) {
        return migration.status().run().orElseThrow().progress().verdict();
    }

    private static Optional<VolumeMigration> owner(String mark, List<VolumeMigration> migrations) {
        return Marks.ownerOfMark(mark)
                .flatMap(owner -> migrations.stream()
                        .filter(migration -> migration.getMetadata().getUid().equals(owner.migration()))
                        .filter(migration -> migration
                                .status()
                                .run()
                                .map(Original::run)
                                .filter(run -> run == owner.run())
                                .isPresent())
                        .findFirst());
    }

    private static Optional<Refusal> wrongClaim(Pod pod, VirtualMachineInstance vmi, VolumeMigration migration) {
        var mounted = Pods.claims(pod);
        var named = claims(vmi, volume -> true);
        var source = migration.getSpec().migratedVolume().stream()
                .map(MigratedVolume::sourcePvc)
                .filter(claim -> mounted.contains(claim) || named.contains(claim))
                .findFirst();
        if (source.isPresent()) {
            return refuse("the volume on claim " + source.get() + " is about to move");
        }
        return claims(vmi, volume -> !volume.hotpluggable()).stream()
                .filter(claim -> !mounted.contains(claim))
                .findFirst()
                .flatMap(claim -> refuse("it does not mount claim " + claim));
    }

    /** A launcher pod mounts the volumes that are not hotpluggable itself; the others come to it by attachment pods. */
    private static Set<String> claims(VirtualMachineInstance vmi, Predicate<Volume> which) {
        var names = new TreeSet<String>();
        vmi.volumes().stream()
                .filter(which)
                .map(Volume::claim)
                .flatMap(Optional::stream)
                .forEach(names::add);
        return names;
    }

    private static Optional<Refusal> refuse(String why) {
        return Optional.of(new Refusal("no migration of this VM may start now: " + why));
    }
}
