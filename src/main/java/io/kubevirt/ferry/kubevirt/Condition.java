package io.kubevirt.ferry.kubevirt;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A condition as KubeVirt writes it; {@code status} is {@code True}, {@code False} or {@code Unknown}. */
@JsonIgnoreProperties(ignoreUnknown = true)
public record Condition(
        String type,
        String status,
        @Nullable String reason,
        @Nullable String message) {

    static Optional<Condition> find(List<Condition> conditions, String type) {
        return conditions.stream().filter(c -> c.type().equals(type)).findFirst();
    }

    public boolean holds() {
        return status.equals("True");
    }

    public boolean denied() {
        return status.equals("False");
    }

    /** What KubeVirt says in words, else its reason, else nothing. */
    public String text() {
        return message != null && !message.isEmpty() ? message : reason != null ? reason : "";
    }
}
