package io.kubevirt.ferry.controller;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.kubevirt.ferry.api.VolumeMigration;
import io.kubevirt.ferry.api.VolumeMigrationStatus;
import io.kubevirt.ferry.kubevirt.DataVolume;
import io.kubevirt.ferry.kubevirt.VirtualMachine;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstance;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration;
import io.kubevirt.ferry.patch.JsonPatch;
import io.kubevirt.ferry.volumes.Action;
import io.kubevirt.ferry.volumes.Patches;
import java.net.HttpURLConnection;
import java.util.Optional;

/**
 * Carries out what the decision core asks for. Each action is one request, which the API server refuses if anything is not as
 * it was read.
 */
public final class Execution {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private final KubernetesClient client;

    public Execution(KubernetesClient client) {
        this.client = client;
    }

    /** What came of a write. */
    public sealed interface Outcome {
        /** It is done, now or before. */
        record Done() implements Outcome {}

        /** Something is not as it was read: read again, then decide. */
        record Stale(String why) implements Outcome {}
    }

    /**
     * Writes the status, if nobody has changed the VolumeMigration since it was read.
     *
     * @param read with the resourceVersion that it must still have
     */
    public Outcome record(VolumeMigration read, VolumeMigrationStatus status) {
        var meta = read.getMetadata();
        var patch = JsonPatch.start()
                .test("/metadata/uid", JSON.textNode(meta.getUid()))
                .test("/metadata/resourceVersion", JSON.textNode(meta.getResourceVersion()))
                .add("/status", MAPPER.valueToTree(status));
        return attempt(() -> {
            VolumeMigration ignored = client.resource(named(new VolumeMigration(), meta.getNamespace(), meta.getName()))
                    .subresource("status")
                    .patch(PatchContext.of(PatchType.JSON), patch.build().toString());
        });
    }

    /**
     * Carries an action out, in the namespace of its VolumeMigration.
     *
     * @throws KubernetesClientException if the API server refuses for another reason than that something has changed
     */
    public Outcome execute(String namespace, Action action) {
        return switch (action) {
            case Action.AddFinalizer a ->
                patch(new VolumeMigration(), namespace, a.migration().name(), a);
            case Action.RemoveFinalizer a ->
                patch(new VolumeMigration(), namespace, a.migration().name(), a);
            case Action.DeleteVolumeMigration a ->
                delete(VolumeMigration.class, namespace, a.migration(), Optional.of(a.resourceVersion()));
            case Action.Hold a ->
                patch(new VirtualMachineInstance(), namespace, a.instance().name(), a);
            case Action.Release a ->
                patch(new VirtualMachineInstance(), namespace, a.instance().name(), a);
            case Action.Lock a -> patch(a.machine(), namespace, a);
            case Action.ChangeVolumes a -> patch(a.machine(), namespace, a);
            case Action.PutBack a -> patch(a.machine(), namespace, a);
            case Action.ChangeStrategy a -> patch(a.machine(), namespace, a);
            case Action.Unlock a -> patch(a.machine(), namespace, a);
            case Action.SettleStrategy a -> patch(a.machine(), namespace, a);
            case Action.CreateMigration a -> create(namespace, a);
            case Action.DeleteMigration a ->
                delete(VirtualMachineInstanceMigration.class, namespace, a.migration(), Optional.empty());
            case Action.DeletePod a -> delete(Pod.class, namespace, a.pod(), Optional.empty());
            case Action.MarkSource a ->
                patch(source(a.source()), namespace, a.source().object().name(), a);
            case Action.UnmarkSource a ->
                patch(source(a.source()), namespace, a.source().object().name(), a);
            case Action.DeleteSource a ->
                delete(
                        source(a.source()).getClass(),
                        namespace,
                        a.source().object(),
                        Optional.of(a.source().resourceVersion()));
        };
    }

    private static HasMetadata source(Action.Source source) {
        return switch (source.kind()) {
            case PersistentVolumeClaim -> new PersistentVolumeClaim();
            case DataVolume -> new DataVolume();
        };
    }

    private Outcome patch(Action.Machine machine, String namespace, Action.Patch action) {
        return patch(new VirtualMachine(), namespace, machine.name(), action);
    }

    /** Given an object the client sends the patch alone; given a name it would read the object first. */
    private Outcome patch(HasMetadata object, String namespace, String name, Action.Patch action) {
        named(object, namespace, name);
        return attempt(() -> {
            HasMetadata ignored = client.resource(object)
                    .patch(PatchContext.of(PatchType.JSON), Patches.of(action).toString());
        });
    }

    /** Where there is one of this name already it is done: the name is that of this attempt alone. */
    private Outcome create(String namespace, Action.CreateMigration action) {
        var vmim = new VirtualMachineInstanceMigration();
        vmim.setMetadata(new ObjectMetaBuilder()
                .withNamespace(namespace)
                .withName(action.name())
                .withLabels(action.labels())
                .withAnnotations(action.annotations())
                .build());
        vmim.setSpec(new VirtualMachineInstanceMigration.Spec(action.instance().name()));
        try {
            VirtualMachineInstanceMigration ignored = client.resource(vmim).create();
            return new Outcome.Done();
        } catch (KubernetesClientException e) {
            if (e.getCode() == HttpURLConnection.HTTP_CONFLICT) {
                return new Outcome.Done();
            }
            throw e;
        }
    }

    private Outcome delete(
            Class<? extends HasMetadata> kind, String namespace, Action.Ref object, Optional<String> resourceVersion) {
        return attempt(() -> {
            ObjectNode options = JSON.objectNode();
            options.put("apiVersion", "v1").put("kind", "DeleteOptions");
            var preconditions = options.putObject("preconditions").put("uid", object.uid());
            resourceVersion.ifPresent(version -> preconditions.put("resourceVersion", version));
            String ignored = client.raw(uri(kind, namespace, object.name()), "DELETE", options);
        });
    }

    private static String uri(Class<? extends HasMetadata> kind, String namespace, String name) {
        var group = HasMetadata.getGroup(kind);
        return (group == null || group.isEmpty() ? "/api/" : "/apis/" + group + "/")
                + HasMetadata.getVersion(kind) + "/namespaces/" + namespace + "/" + HasMetadata.getPlural(kind) + "/"
                + name;
    }

    /** An object that is gone has changed as well. */
    private static Outcome attempt(Runnable write) {
        try {
            write.run();
            return new Outcome.Done();
        } catch (KubernetesClientException e) {
            if (Live.isStale(e) || e.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
                return new Outcome.Stale(Refusal.said(e));
            }
            throw e;
        }
    }

    private static <T extends HasMetadata> T named(T object, String namespace, String name) {
        object.setMetadata(
                new ObjectMetaBuilder().withNamespace(namespace).withName(name).build());
        return object;
    }
}
