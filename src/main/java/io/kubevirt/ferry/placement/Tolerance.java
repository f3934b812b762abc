package io.kubevirt.ferry.placement;

import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.Toleration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which taints a pod tolerates, as the scheduler sees it; for how long does not matter to it. */
record Tolerance(List<Toleration> tolerations) {

    private static final Set<String> KEEPING_OFF = Set.of("NoSchedule", "NoExecute");

    /** Whether the taint keeps the pod off; {@code PreferNoSchedule} keeps none off. */
    boolean isKeptOffBy(Taint taint) {
        return KEEPING_OFF.contains(present(taint.getEffect())) && !tolerates(taint);
    }

    boolean tolerates(Taint taint) {
        return tolerations.stream().anyMatch(toleration -> tolerates(toleration, taint));
    }

    private static boolean tolerates(Toleration toleration, Taint taint) {
        String effect = present(toleration.getEffect());
        String key = present(toleration.getKey());
        return (effect.isEmpty() || effect.equals(present(taint.getEffect())))
                && (key.isEmpty() || key.equals(present(taint.getKey())))
                && switch (present(toleration.getOperator())) {
                    case "", "Equal" -> present(toleration.getValue()).equals(present(taint.getValue()));
                    case "Exists" -> true;
                    // Kubernetes compares numbers only behind a feature gate that is off.
                    default -> false;
                };
    }

    private static String present(@Nullable String text) {
        return text == null ? "" : text;
    }
}
