package io.kubevirt.ferry.admission;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.fabric8.zjsonpatch.JsonPatch;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/** Objects and reviews for tests, written as YAML. */
final class Reviews {
    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
    static final ObjectMapper JSON = new ObjectMapper();

    static final Requester NOBODY = new Requester("", "", List.of(), Map.of());

    private Reviews() {}

    static JsonNode yaml(String text) {
        try {
            return YAML.readTree(text);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    static Admitted create(String object) {
        return new Admitted(Admitted.Operation.CREATE, "shop", NOBODY, yaml(object), JSON.missingNode());
    }

    static Admitted update(String before, String now) {
        return new Admitted(Admitted.Operation.UPDATE, "shop", NOBODY, yaml(now), yaml(before));
    }

    /** The bytes of a review that asks to create an object. */
    static byte[] review(String object) {
        return ("{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\",\"request\":{\"uid\":\"u1\","
                        + "\"operation\":\"CREATE\",\"namespace\":\"shop\",\"object\":" + yaml(object) + "}}")
                .getBytes(StandardCharsets.UTF_8);
    }

    /** What an object becomes by the patch of a verdict. */
    static JsonNode after(String object, Verdict verdict) {
        if (verdict instanceof Verdict.Patched patched) {
            return JsonPatch.apply(patched.patch(), yaml(object));
        }
        throw new AssertionError("no patch: " + verdict);
    }

    static JsonNode patchOf(JsonNode answer) {
        try {
            return JSON.readTree(
                    Base64.getDecoder().decode(answer.at("/response/patch").asText()));
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
