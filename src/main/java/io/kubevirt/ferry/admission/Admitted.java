package io.kubevirt.ferry.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.fabric8.kubernetes.api.model.admission.v1.AdmissionRequest;
import io.fabric8.kubernetes.api.model.authentication.UserInfo;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The parts of an AdmissionRequest that verdicts look at.
 *
 * <p>Objects are trees and not typed models, so that fields which are newer than our libraries neither get lost nor get
 * in the way.
 *
 * @param namespace of the object; empty for a cluster-scoped one
 * @param requester who asks; without a name if the review says nothing of them
 * @param object what is asked for; missing on DELETE
 * @param oldObject what exists; missing on CREATE
 */
public record Admitted(
        Operation operation, String namespace, Requester requester, JsonNode object, JsonNode oldObject) {
    /** As Kubernetes has it: a DNS subdomain. */
    private static final Pattern NAME =
            Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

    private static final int LONGEST_NAME = 253;

    /** The operations that our rules select. */
    public enum Operation {
        CREATE,
        UPDATE
    }

    static Admitted of(AdmissionRequest request) {
        return new Admitted(
                operation(request.getOperation()),
                Optional.ofNullable(request.getNamespace()).orElse(""),
                requester(request.getUserInfo()),
                tree("request.object", request.getObject()),
                tree("request.oldObject", request.getOldObject()));
    }

    private static Requester requester(@Nullable UserInfo info) {
        if (info == null) {
            return new Requester("", "", List.of(), Map.of());
        }
        return new Requester(
                Objects.requireNonNullElse(info.getUsername(), ""),
                Objects.requireNonNullElse(info.getUid(), ""),
                Objects.requireNonNullElse(info.getGroups(), List.of()),
                Objects.requireNonNullElse(info.getExtra(), Map.of()));
    }

    private static Operation operation(@Nullable String text) {
        return switch (text) {
            case "CREATE" -> Operation.CREATE;
            case "UPDATE" -> Operation.UPDATE;
            case null, default ->
                throw new MalformedReviewException("request.operation: want CREATE or UPDATE, got " + text);
        };
    }

    private static JsonNode tree(String field, @Nullable Object value) {
        return switch (value) {
            case null -> MissingNode.getInstance();
            case JsonNode node when node.isNull() -> MissingNode.getInstance();
            case JsonNode node when node.isObject() -> node;
            default -> throw new MalformedReviewException(field + ": want an object");
        };
    }

    /** The object, which CREATE and UPDATE always have. */
    JsonNode required() {
        if (object.isMissingNode()) {
            throw new MalformedReviewException("request.object: missing");
        }
        return object;
    }

    /** A text in the object, if it is there. */
    static Optional<String> text(JsonNode object, String... path) {
        JsonNode node = object;
        for (String step : path) {
            node = node.path(step);
        }
        if (node.isMissingNode() || node.isNull()) {
            return Optional.empty();
        }
        if (!node.isTextual()) {
            throw new MalformedReviewException("request.object: " + String.join(".", path) + ": want a string");
        }
        return Optional.of(node.textValue());
    }

    /** Whether there is an object; nothing there, or null, is none. */
    static boolean isObject(JsonNode object, String pointer) {
        JsonNode tree = object.at(pointer);
        if (!tree.isObject() && !tree.isMissingNode() && !tree.isNull()) {
            throw new MalformedReviewException("request.object: " + pointer + ": want an object");
        }
        return tree.isObject();
    }

    /** Sees to it that there is an object, which every object of its kind has. */
    static void requireObject(JsonNode object, String pointer) {
        if (!isObject(object, pointer)) {
            throw new MalformedReviewException("request.object: " + pointer + ": missing");
        }
    }

    /**
     * Whether an object can have that name, or a namespace. What cannot be one is looked up nowhere: in the path of a
     * request it could lead to another object than the one it seems to name.
     */
    public static boolean isName(String text) {
        return text.length() <= LONGEST_NAME && NAME.matcher(text).matches();
    }
}
