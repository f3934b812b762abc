package io.kubevirt.ferry.volumes.simulation;

import io.kubevirt.ferry.api.MigratedVolume;
import io.kubevirt.ferry.api.Names;
import io.kubevirt.ferry.api.Verdict;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Users, administrators, GitOps, a drain: what is done to the objects while a volume migration runs. */
final class People implements Actor {
    private static final int LATER = 4;

    private final Cluster cluster;
    private final Scenario scenario;
    private final Laws laws;
    private final Chance chance;
    private final Trace trace;
    private final List<Cue> pending;
    /** What they did, as far as it was possible. */
    final Set<Event> done = EnumSet.noneOf(Event.class);

    private final GitOps manual;
    private int step;
    private int wasHardware;

    People(Cluster cluster, Scenario scenario, Laws laws, Chance chance, Trace trace) {
        this.cluster = cluster;
        this.scenario = scenario;
        this.laws = laws;
        this.chance = chance;
        this.pending = new ArrayList<>(scenario.cues);
        this.trace = trace;
        this.manual = new GitOps(cluster);
    }

    void step(int now) {
        step = now;
    }

    @Override
    public void offer(Menu menu) {
        for (var cue : pending) {
            if (cue.due(step, trace)) {
                menu.offer(Move.PEOPLE, cue.event().name(), () -> act(cue));
                return;
            }
        }
        for (var request : cluster.requests.values()) {
            if (manual.asked(request)) {
                menu.offer(Move.PEOPLE_COMPLY, request.name, () -> manual.comply(request));
            }
        }
    }

    /** What cannot be done now is tried again a little later. */
    private void act(Cue cue) {
        pending.remove(cue);
        if (act(cue.event())) {
            done.add(cue.event());
        } else if (step < Scenario.BUSY) {
            pending.add(Cue.after(step + LATER, cue.event()));
        }
    }

    private boolean act(Event event) {
        return switch (event) {
            case STOPS_THE_VM -> run(false);
            case RESTARTS_THE_VM -> restart();
            case SHUTS_THE_GUEST_DOWN -> shutDown();
            case KILLS_THE_GUESTS_POD -> kill(cluster.guestPod());
            case KILLS_THE_TARGET_POD -> kill(targetPod());
            case DELETES_THE_VM -> deleteVm();
            case DELETES_THE_NAMESPACE -> deleteNamespace();
            case DELETES_THE_VOLUME_MIGRATION -> deleteRequest();
            case EDITS_SOMETHING_THAT_NEEDS_A_RESTART -> needsRestart();
            case TAKES_THAT_EDIT_BACK -> wasHardware > 0 && hardware(-1);
            case EDITS_SOMETHING_ELSE -> liveEdit();
            case TAKES_THE_STRATEGY_AWAY -> strategyAway();
            case CHANGES_THE_VOLUMES -> changeVolumes();
            case TAKES_THE_LOCK_OFF -> unlock();
            case FORCES_THE_HOLD_OFF -> forceHoldOff();
            case FORCES_THE_INSTANCE_AWAY -> forceAway();
            case REPLACES_THE_VM -> replaceVm();
            case RECONFIGURES_KUBEVIRT -> reconfigure();
            case MIGRATES_THE_VM -> migrate("by-hand", Map.of());
            case DRAINS_THE_NODE -> migrate("kubevirt-evacuation", Map.of("kubevirt.io/evacuationMigration", "node"));
            case CANCELS_A_MIGRATION -> cancel();
            case BACKS_A_SOURCE_UP -> backUp();
            case LOSES_THE_SOURCE_NODE -> cluster.guest != null && cluster.lostPods.add(cluster.guest.pod);
            case POINTS_A_DATA_SOURCE_AT_A_SOURCE -> dataSource();
            case CLONES_A_SOURCE -> cloneSource();
            case DELETES_A_DESTINATION -> deleteDestination();
            case PLUGS_A_VOLUME_IN -> plugIn();
            case RESTARTS_VIRT_API -> restartVirtApi();
            case WANTS_ANOTHER_VOLUME_MIGRATION -> ask("rival", "src-", "third-", scenario.disks);
            case WANTS_THE_VOLUMES_MOVED_ON -> ask("onward", "dst-", "third-", scenario.disks);
            case WANTS_ONE_OF_THE_DISKS_MOVED -> ask("single", "src-", "third-", 1);
        };
    }

    boolean run(boolean on) {
        var vm = cluster.vm;
        if (vm == null || vm.run == on) {
            return false;
        }
        vm.run = on;
        if (laws.untouched != null) {
            laws.untouched.run = on;
        }
        cluster.touchSpec(vm);
        return true;
    }

    boolean restart() {
        if (cluster.vmi == null || cluster.vmi.deleting) {
            return false;
        }
        cluster.deleteVmi(cluster.vmi);
        return true;
    }

    private boolean shutDown() {
        var vmi = cluster.vmi;
        if (vmi == null || !vmi.running()) {
            return false;
        }
        vmi.phase = Vmi.Phase.SUCCEEDED;
        cluster.guest = null;
        cluster.touch(vmi);
        return true;
    }

    private boolean kill(@Nullable Pod pod) {
        if (pod == null) {
            return false;
        }
        cluster.deletePod(pod);
        return true;
    }

    private @Nullable Pod targetPod() {
        for (var pod : cluster.pods.values()) {
            if (!pod.migrationUid.isEmpty() && (cluster.guest == null || !cluster.guest.pod.equals(pod.name))) {
                return pod;
            }
        }
        return null;
    }

    private boolean deleteVm() {
        if (cluster.vm == null) {
            return false;
        }
        cluster.vm.deleting = true;
        cluster.touch(cluster.vm);
        return true;
    }

    private boolean deleteNamespace() {
        cluster.namespaceDeleted = true;
        deleteVm();
        restart();
        new ArrayList<>(cluster.vmims.values()).forEach(cluster::deleteVmim);
        cluster.pods.values().forEach(cluster::deletePod);
        cluster.claims.values().stream().filter(claim -> !claim.deleting).forEach(cluster::deleteClaim);
        cluster.dataVolumes.values().stream()
                .filter(dataVolume -> !dataVolume.deleting)
                .forEach(cluster::deleteDataVolume);
        new ArrayList<>(cluster.requests.values()).forEach(this::delete);
        return true;
    }

    private boolean deleteRequest() {
        if (cluster.requests.isEmpty()) {
            return false;
        }
        delete(chance.oneOf(List.copyOf(cluster.requests.values())));
        return true;
    }

    private void delete(Request request) {
        request.deleting = true;
        cluster.touch(request);
    }

    private boolean hardware(int change) {
        var vm = cluster.vm;
        if (vm == null) {
            return false;
        }
        vm.hardware += change;
        wasHardware += change;
        if (laws.untouched != null) {
            laws.untouched.hardware += change;
        }
        cluster.touchSpec(vm);
        return true;
    }

    private boolean needsRestart() {
        if (chance.of(0.3)) {
            pending.add(Cue.after(step + chance.below(Scenario.BUSY), Event.TAKES_THAT_EDIT_BACK));
        }
        return hardware(1);
    }

    private boolean liveEdit() {
        var vm = cluster.vm;
        if (vm == null) {
            return false;
        }
        vm.liveUpdatable++;
        vm.annotations.put("team", "shop");
        if (laws.untouched != null) {
            laws.untouched.liveUpdatable++;
            laws.untouched.annotations.put("team", "shop");
        }
        cluster.touchSpec(vm);
        return true;
    }

    private boolean strategyAway() {
        var vm = cluster.vm;
        if (vm == null || vm.strategy == null) {
            return false;
        }
        vm.strategy = null;
        laws.peopleChose(null);
        // KubeVirt then exchanges hotplugged volumes under the guest
        cluster.meddled |= vm.volumes.stream().anyMatch(Volume::hotpluggable);
        // that is the choice for which such a one asks, and this person has not looked
        cluster.meddled |=
                cluster.requests.values().stream().map(Laws::verdict).anyMatch(Verdict.DataLocationUnknown::equals);
        cluster.touchSpec(vm);
        return true;
    }

    /** The operator's policy refuses it while the lock or the restore annotation is there, unless they go with it. */
    private boolean changeVolumes() {
        var vm = cluster.vm;
        if (vm == null) {
            return false;
        }
        var guarded = vm.annotations.containsKey(Names.VOLUME_MIGRATION)
                || vm.annotations.containsKey(Names.RESTORE_STRATEGY);
        if (guarded && chance.of(0.3)) {
            return false;
        }
        vm.annotations.remove(Names.VOLUME_MIGRATION);
        vm.annotations.remove(Names.RESTORE_STRATEGY);
        var prefix = chance.oneOf("src-", "third-", "dst-");
        var volumes = new ArrayList<Volume>();
        for (var volume : vm.volumes) {
            volumes.add(
                    volume.name().startsWith("d")
                            ? volume.onClaim(prefix + volume.name().substring(1))
                            : volume);
        }
        vm.volumes = List.copyOf(volumes);
        if (chance.of(0.5)) {
            vm.strategy = chance.oneOf(null, Vm.MIGRATION);
        }
        meddle(vm);
        cluster.touchSpec(vm);
        return true;
    }

    private boolean unlock() {
        var vm = cluster.vm;
        if (vm == null || vm.annotations.remove(Names.VOLUME_MIGRATION) == null) {
            return false;
        }
        meddle(vm);
        cluster.touch(vm);
        return true;
    }

    private boolean forceHoldOff() {
        var vmi = cluster.vmi;
        if (vmi == null || !vmi.finalizers.remove(Names.VOLUME_MIGRATION)) {
            return false;
        }
        cluster.meddled = true;
        if (chance.of(0.5)) {
            vmi.labels.remove(Names.VOLUME_MIGRATION);
        }
        cluster.touch(vmi);
        return true;
    }

    private boolean forceAway() {
        var vmi = cluster.vmi;
        if (vmi == null) {
            return false;
        }
        cluster.meddled |= vmi.finalizers.contains(Names.VOLUME_MIGRATION);
        cluster.instanceForced = true;
        vmi.finalizers.clear();
        vmi.deleting = true;
        cluster.guest = null;
        cluster.touch(vmi);
        return true;
    }

    private boolean replaceVm() {
        if (cluster.vm != null) {
            if (!cluster.vm.deleting) {
                deleteVm();
            }
            return false;
        }
        if (cluster.namespaceDeleted || cluster.vmi != null) {
            return false;
        }
        scenario.makeVm(cluster);
        meddle(Story.present(cluster.vm));
        laws.forget();
        return true;
    }

    private boolean reconfigure() {
        cluster.liveMigrate = false;
        cluster.evict = chance.of(0.3);
        return true;
    }

    private void meddle(Vm vm) {
        cluster.meddled = true;
        cluster.storage.want(vm.volumes);
    }

    private boolean migrate(String name, Map<String, String> annotations) {
        if (!cluster.mayMigrate()) {
            return false;
        }
        cluster.addVmim(cluster.fresh(name), annotations, Map.of());
        return true;
    }

    private boolean cancel() {
        for (var vmim : cluster.vmims.values()) {
            if (vmim.unfinished() && !vmim.deleting) {
                cluster.deleteVmim(vmim);
                return true;
            }
        }
        return false;
    }

    private boolean backUp() {
        if (cluster.namespaceDeleted || !cluster.claims.containsKey("src-0")) {
            return false;
        }
        var pod = new Pod(
                cluster.fresh("backup"),
                cluster.fresh("pod"),
                Pod.Kind.OTHER,
                "",
                "",
                Map.of("data", "src-0"),
                Map.of(),
                null);
        cluster.pods.put(pod.name, pod);
        cluster.touch(pod);
        return true;
    }

    private boolean ask(String name, String from, String to, int disks) {
        if (cluster.namespaceDeleted || cluster.requests.containsKey(name)) {
            return false;
        }
        scenario.ask(cluster, name, from, to, disks);
        return true;
    }

    private boolean dataSource() {
        if (cluster.namespaceDeleted || !cluster.claims.containsKey("src-0")) {
            return false;
        }
        cluster.dataSources.put("golden", "src-0");
        laws.named("src-0", cluster.nextVersion());
        return true;
    }

    private boolean cloneSource() {
        if (cluster.namespaceDeleted
                || !cluster.claims.containsKey("src-0")
                || cluster.dataVolumes.containsKey("clone")) {
            return false;
        }
        var made = new DataVolume("clone", cluster.fresh("dv"));
        made.source = "src-0";
        made.version = cluster.nextVersion();
        cluster.dataVolumes.put(made.name, made);
        laws.named("src-0", made.version);
        return true;
    }

    /** Whoever deletes a claim that a pod of the VM mounts, or the newest data, has thrown the data away himself. */
    private boolean deleteDestination() {
        var claim = cluster.claims.get("dst-0");
        if (claim == null || claim.deleting) {
            return false;
        }
        cluster.meddled |= claim.disk != null
                || cluster.pods.values().stream()
                        .anyMatch(pod -> pod.node != null && pod.claims.containsValue("dst-0"));
        cluster.deleteClaim(claim);
        return true;
    }

    /** The operator's policy refuses it while the VM is locked; a VM that its user changes alone stays as it is in Git. */
    private boolean plugIn() {
        var vm = cluster.vm;
        if (vm == null
                || vm.volume("plugged") != null
                || vm.annotations.containsKey(Names.VOLUME_MIGRATION)
                || cluster.manual
                || cluster.namespaceDeleted) {
            return false;
        }
        cluster.addClaim("plugged");
        var volumes = new ArrayList<>(vm.volumes);
        volumes.add(new Volume("plugged", "plugged", false, true));
        vm.volumes = List.copyOf(volumes);
        cluster.touchSpec(vm);
        return true;
    }

    private boolean restartVirtApi() {
        cluster.refusingUntil = cluster.now + chance.between(500, 90_000);
        return true;
    }

    /** Looks into the claims and writes those with the newest data. */
    private boolean choose(Request request) {
        var vm = cluster.vm;
        if (vm == null || !isOpen(vm)) {
            return false;
        }
        var volumes = new ArrayList<Volume>();
        for (var volume : vm.volumes) {
            var newest = request.spec.migratedVolume().stream()
                    .map(MigratedVolume::sourcePvc)
                    .filter(claim -> cluster.storage.newest(volume.name(), claim))
                    .findFirst();
            volumes.add(newest.map(volume::onClaim).orElse(volume));
        }
        vm.volumes = List.copyOf(volumes);
        vm.strategy = null;
        vm.annotations.remove(Names.VOLUME_MIGRATION);
        meddle(vm);
        cluster.touchSpec(vm);
        return true;
    }

    private boolean isOpen(Vm vm) {
        return cluster.manual ? Vm.MIGRATION.equals(vm.strategy) : vm.annotations.containsKey(Names.VOLUME_MIGRATION);
    }

    /** They are done with what they wanted to do. */
    void rest() {
        pending.clear();
    }

    /** In the end people do what they are asked to, and the backup is over. True when there was something to do. */
    boolean help() {
        for (var pod : cluster.pods.values()) {
            if (pod.kind == Pod.Kind.OTHER && !pod.deleting) {
                cluster.deletePod(pod);
                return true;
            }
        }
        if (freeTheSource() || makeTheDestinationAgain()) {
            return true;
        }
        for (var request : cluster.requests.values()) {
            if (Laws.verdict(request) == Verdict.RestartNeeded && restart()) {
                return true;
            }
            if (Laws.verdict(request) == Verdict.DataLocationUnknown && choose(request)) {
                return true;
            }
        }
        return false;
    }

    private boolean freeTheSource() {
        var clone = cluster.dataVolumes.get("clone");
        var named = !cluster.dataSources.isEmpty();
        cluster.dataSources.clear();
        if (named) {
            cluster.nextVersion();
        }
        if (clone != null && !clone.deleting) {
            cluster.deleteDataVolume(clone);
            return true;
        }
        return named;
    }

    /** A run that waits for a destination which somebody has deleted says so. */
    private boolean makeTheDestinationAgain() {
        if (!done.contains(Event.DELETES_A_DESTINATION)
                || cluster.namespaceDeleted
                || cluster.claims.containsKey("dst-0")) {
            return false;
        }
        cluster.addClaim("dst-0");
        return true;
    }
}
