package io.kubevirt.ferry.standin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** What virt-api says to an admission request. */
sealed interface Verdict {

    /** It may pass as it is. */
    record Passed() implements Verdict {}

    /** It may pass, changed into this. */
    record Changed(Item before, Item after) implements Verdict {}

    /** It may not, because of what it asks for: code 400. */
    record Refused(String message) implements Verdict {}

    /** It may not, because of what is written in a field: code 422, reason Invalid. */
    record Invalid(String field, String message) implements Verdict {}

    /** The response part of an AdmissionReview. */
    default ObjectNode response(String uid) {
        ObjectNode response = Item.object().put("uid", uid).put("allowed", true);
        switch (this) {
            case Passed() -> {}
            case Changed(Item before, Item after) -> {
                byte[] patch = patch(before, after).toString().getBytes(StandardCharsets.UTF_8);
                response.put("patchType", "JSONPatch")
                        .put("patch", Base64.getEncoder().encodeToString(patch));
            }
            case Refused(String message) -> refuse(response, 400, message);
            case Invalid(String field, String message) -> {
                ObjectNode status = refuse(response, 422, message).put("reason", "Invalid");
                ObjectNode cause =
                        status.withObject("/details").withArray("/causes").addObject();
                cause.put("reason", "FieldValueNotSupported")
                        .put("message", message)
                        .put("field", field);
            }
        }
        return response;
    }

    private static ObjectNode refuse(ObjectNode response, int code, String message) {
        response.put("allowed", false);
        return response.putObject("status").put("code", code).put("message", message);
    }

    private static ArrayNode patch(Item before, Item after) {
        ArrayNode patch = Item.object().putArray("patch");
        for (String part : new String[] {"metadata", "spec", "status"}) {
            JsonNode now = after.tree().path(part);
            JsonNode then = before.tree().path(part);
            if (now.equals(then)) {
                continue;
            }
            ObjectNode operation = patch.addObject().put("path", "/" + part);
            if (now.isMissingNode()) {
                operation.put("op", "remove");
            } else {
                operation.put("op", then.isMissingNode() ? "add" : "replace").set("value", now);
            }
        }
        return patch;
    }
}
