package io.kubevirt.ferry.directed;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The condition TargetPlacement of a migration, as anybody reads it. */
record Condition(String status, String reason, String message) {
    static Optional<Condition> of(GenericKubernetesResource migration) {
        Object conditions = migration.get("status", "conditions");
        return conditions instanceof List<?> list
                ? list.stream()
                        .map(each -> (Map<?, ?>) each)
                        .filter(each -> "TargetPlacement".equals(each.get("type")))
                        .map(each -> new Condition(
                                String.valueOf(each.get("status")),
                                String.valueOf(each.get("reason")),
                                String.valueOf(each.get("message"))))
                        .findFirst()
                : Optional.empty();
    }
}
