package io.kubevirt.ferry.volumes.simulation;

import io.kubevirt.ferry.api.Names;
import io.kubevirt.ferry.volumes.Fence;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** The operator's webhook on the pods of fenced VMIs: {@code failurePolicy: Fail}, so no answer is a refusal. */
final class Webhook implements Cluster.Fence {
    private final Cluster cluster;
    private final Core core;
    private final ReadModels models;
    private final BooleanSupplier down;
    private final Laws laws;

    Webhook(Cluster cluster, Core core, ReadModels models, BooleanSupplier down, Laws laws) {
        this.cluster = cluster;
        this.core = core;
        this.models = models;
        this.down = down;
        this.laws = laws;
    }

    @Override
    public Answer admit(Pod pod) {
        if (!pod.labels.containsKey(Names.VOLUME_MIGRATION)) {
            return Answer.ADMITTED;
        }
        if (down.getAsBoolean()) {
            laws.situations.add("fence does not answer");
            return Answer.REFUSED;
        }
        var instance = Optional.ofNullable(cluster.vmi)
                .filter(vmi -> vmi.uid.equals(pod.createdBy))
                .map(vmi -> models.instance(vmi, cluster.claims));
        var migrations =
                cluster.requests.values().stream().map(models::volumeMigration).toList();
        var model = models.pod(pod);
        var in = !Fence.concerns(model) || core.letsIn(model, instance, migrations, this::pods);
        laws.situations.add(in ? "fence lets a pod in" : "fence refuses a pod");
        return in ? Answer.ADMITTED : Answer.REFUSED;
    }

    private List<io.fabric8.kubernetes.api.model.Pod> pods() {
        laws.situations.add("fence looks where the guest is");
        return cluster.pods.values().stream().map(models::pod).toList();
    }
}
