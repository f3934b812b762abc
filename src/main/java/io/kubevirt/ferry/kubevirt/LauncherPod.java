package io.kubevirt.ferry.kubevirt;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Kind;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.Version;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A virt-launcher pod, trimmed. */
@Group("")
@Version("v1")
@Kind("Pod")
@Plural("pods")
@JsonIgnoreProperties(ignoreUnknown = true)
public class LauncherPod extends CustomResource<LauncherPod.Spec, LauncherPod.Status> implements Namespaced {
    private static final long serialVersionUID = 1L;

    /** Where it is to run. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Spec(@Nullable String nodeName, @Nullable List<Gate> schedulingGates) {}

    /** A reason why the scheduler does not look at it yet. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Gate(String name) {}

    /** How far it came. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Status(@Nullable String phase) {}

    /** Whether a scheduling gate of that name holds it. */
    public boolean isHeldBy(String gate) {
        return getSpec() != null
                && getSpec().schedulingGates() != null
                && getSpec().schedulingGates().stream()
                        .anyMatch(held -> held.name().equals(gate));
    }
}
