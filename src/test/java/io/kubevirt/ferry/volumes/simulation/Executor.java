package io.kubevirt.ferry.volumes.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kubevirt.ferry.volumes.Action;
import java.util.Objects;
import java.util.function.Consumer;

/** The API as the operator writes to it: the real patches, with all that they test, on what is stored at this moment. */
final class Executor {
    private final Cluster cluster;
    private final Core core;
    private final Laws laws;

    Executor(Cluster cluster, Core core, Laws laws) {
        this.cluster = cluster;
        this.core = core;
        this.laws = laws;
    }

    /** Writes a status if nothing was written to the object since; false when it was. */
    boolean record(Request request, Worker.Recording recording) {
        if (cluster.requests.get(request.name) != request || request.version != recording.version()) {
            return false;
        }
        request.status = recording.status();
        cluster.touch(request);
        laws.recorded(request);
        return true;
    }

    /** Whether the write was done, or had been done before; the decision is on what was read from that version on. */
    boolean execute(Action action, long looked) {
        return switch (action) {
            case Action.AddFinalizer a -> patchRequest(a.migration(), a);
            case Action.RemoveFinalizer a -> patchRequest(a.migration(), a);
            case Action.DeleteVolumeMigration a -> deleteRequest(a.migration(), a.resourceVersion());
            case Action.Hold a -> patchInstance(a.instance(), a);
            case Action.Release a -> patchInstance(a.instance(), a);
            case Action.Lock a -> patchMachine(a.machine(), a);
            case Action.ChangeVolumes a -> patchMachine(a.machine(), a);
            case Action.PutBack a -> patchMachine(a.machine(), a);
            case Action.ChangeStrategy a -> patchMachine(a.machine(), a);
            case Action.Unlock a -> patchMachine(a.machine(), a);
            case Action.SettleStrategy a -> patchMachine(a.machine(), a);
            case Action.CreateMigration a -> createMigration(a);
            case Action.DeleteMigration a -> deleteMigration(a.migration());
            case Action.DeletePod a -> deletePod(a.pod());
            case Action.MarkSource a -> patchSource(a.source(), a);
            case Action.UnmarkSource a -> patchSource(a.source(), a);
            case Action.DeleteSource a -> deleteSource(a.source(), looked);
        };
    }

    private boolean patchRequest(Action.Ref ref, Action.Patch action) {
        var live = cluster.requests.get(ref.name());
        return live != null
                && patched(
                        StoredJson.of(live),
                        action,
                        json -> {
                            StoredJson.into(live, json);
                            cluster.touch(live);
                        },
                        live.deleting);
    }

    private boolean deleteRequest(Action.Ref ref, String version) {
        var live = cluster.requests.get(ref.name());
        if (live == null || !live.uid.equals(ref.uid()) || live.version != Long.parseLong(version)) {
            return false;
        }
        live.deleting = true;
        cluster.touch(live);
        return true;
    }

    private boolean patchInstance(Action.Ref ref, Action.Patch action) {
        var live = cluster.vmi;
        return live != null
                && virtApiAllows()
                && live.name.equals(ref.name())
                && patched(
                        StoredJson.of(live),
                        action,
                        json -> {
                            StoredJson.into(live, json);
                            cluster.touch(live);
                        },
                        live.deleting);
    }

    private boolean patchMachine(Action.Machine machine, Action.Patch action) {
        var live = cluster.vm;
        return live != null
                && virtApiAllows()
                && live.name.equals(machine.name())
                && patched(StoredJson.of(live), action, json -> write(action, live, json), live.deleting);
    }

    private boolean virtApiAllows() {
        if (cluster.virtApiRefuses()) {
            cluster.comesUp(Subtlety.VIRT_API_REFUSES);
        }
        return !cluster.virtApiRefuses();
    }

    private void write(Action action, Vm live, JsonNode json) {
        var before = live.copy();
        StoredJson.into(live, json);
        if (live.volumes.equals(before.volumes)
                && live.templates.equals(before.templates)
                && Objects.equals(live.strategy, before.strategy)) {
            cluster.touch(live);
        } else {
            cluster.touchSpec(live);
        }
        laws.operatorWrote(action, before, live);
    }

    private boolean patchSource(Action.Source source, Action.Patch action) {
        return switch (source.kind()) {
            case PersistentVolumeClaim -> {
                var live = cluster.claims.get(source.object().name());
                yield live != null
                        && patched(
                                StoredJson.of(live),
                                action,
                                json -> {
                                    live.annotations = StoredJson.annotations(json);
                                    cluster.touch(live);
                                },
                                false);
            }
            case DataVolume -> {
                var live = cluster.dataVolumes.get(source.object().name());
                yield live != null
                        && patched(
                                StoredJson.of(live),
                                action,
                                json -> {
                                    live.annotations = StoredJson.annotations(json);
                                    live.version = cluster.nextVersion();
                                },
                                false);
            }
        };
    }

    /** Applies the operator's own patch; an object that is being deleted takes no new finalizer. */
    private boolean patched(ObjectNode stored, Action.Patch action, Consumer<JsonNode> save, boolean deleting) {
        var changed = StoredPatch.apply(core.patch(action), stored);
        if (changed.isEmpty() || (deleting && finalizers(changed.get()) > finalizers(stored))) {
            return false;
        }
        if (!changed.get().equals(stored)) {
            save.accept(changed.get());
        }
        return true;
    }

    private static int finalizers(JsonNode json) {
        return json.path("metadata").path("finalizers").size();
    }

    private boolean createMigration(Action.CreateMigration action) {
        if (cluster.vmims.containsKey(action.name())) {
            return true;
        }
        if (!cluster.mayMigrate()) {
            return false;
        }
        cluster.addVmim(action.name(), action.annotations(), action.labels());
        return true;
    }

    private boolean deleteMigration(Action.Ref ref) {
        var live = cluster.vmims.get(ref.name());
        if (live == null || !live.uid.equals(ref.uid())) {
            return false;
        }
        cluster.deleteVmim(live);
        return true;
    }

    private boolean deletePod(Action.Ref ref) {
        var live = cluster.pods.get(ref.name());
        if (live == null || !live.uid.equals(ref.uid())) {
            return false;
        }
        cluster.deletePod(live);
        return true;
    }

    private boolean deleteSource(Action.Source source, long looked) {
        var name = source.object().name();
        var uid = source.object().uid();
        var version = Long.parseLong(source.resourceVersion());
        return switch (source.kind()) {
            case PersistentVolumeClaim -> {
                var live = cluster.claims.get(name);
                if (live == null || !live.uid.equals(uid) || live.version != version) {
                    yield false;
                }
                laws.deletes(name, looked);
                cluster.deleteClaim(live);
                yield true;
            }
            case DataVolume -> {
                var live = cluster.dataVolumes.get(name);
                if (live == null || !live.uid.equals(uid) || live.version != version) {
                    yield false;
                }
                laws.deletes(name, looked);
                cluster.deleteDataVolume(live);
                yield true;
            }
        };
    }
}
