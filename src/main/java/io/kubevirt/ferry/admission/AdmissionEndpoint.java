package io.kubevirt.ferry.admission;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.api.model.StatusCause;
import io.fabric8.kubernetes.api.model.admission.v1.AdmissionRequest;
import io.fabric8.kubernetes.api.model.admission.v1.AdmissionResponse;
import io.fabric8.kubernetes.api.model.admission.v1.AdmissionReview;
import io.javaoperatorsdk.webhook.admission.AdmissionController;
import io.javaoperatorsdk.webhook.admission.AdmissionUtils;
import io.kubevirt.ferry.placement.FieldError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/** One webhook: the bytes of an AdmissionReview in, the bytes of the answer out. */
public final class AdmissionEndpoint {
    private static final String API_VERSION = "admission.k8s.io/v1";
    private static final int UNPROCESSABLE = 422;

    /**
     * More fields and values than an object can have that etcd takes (1.5 MiB); beyond, a few bytes of text would take up
     * a multiple of themselves in memory.
     */
    private static final int MOST_TOKENS = 600_000;

    // The names in hostile reviews must not stay in tables.
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxTokenCount(MOST_TOKENS).build())
            .build();

    private static final ObjectMapper JSON = new ObjectMapper(FACTORY)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .setDefaultPropertyInclusion(JsonInclude.Include.NON_EMPTY)
            .addMixIn(AdmissionRequest.class, ObjectsAsTrees.class);

    /** Keeps objects as trees, where the model would turn them into its own classes. */
    @SuppressWarnings("unused") // Jackson reads the annotations.
    private interface ObjectsAsTrees {
        @JsonDeserialize(using = Tree.class)
        void setObject(Object object);

        @JsonDeserialize(using = Tree.class)
        void setOldObject(Object oldObject);

        @JsonDeserialize(using = Tree.class)
        void setOptions(Object options);
    }

    private static final class Tree extends JsonDeserializer<Object> {
        @Override
        public Object deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            return parser.readValueAsTree();
        }
    }

    /** The answer, with the word for it that metrics count by: {@code allowed}, {@code patched} or {@code denied}. */
    public record Answer(String body, String outcome) {}

    private final Admission admission;

    public AdmissionEndpoint(Admission admission) {
        this.admission = admission;
    }

    public String name() {
        return admission.name();
    }

    /**
     * Judges one review.
     *
     * @throws MalformedReviewException if the bytes are no AdmissionReview with a request
     */
    public Answer answer(byte[] body) {
        return read(body).answer();
    }

    /**
     * Reads one review, once for both ways to an answer.
     *
     * @throws MalformedReviewException if the bytes are no AdmissionReview with a request
     */
    public Reading read(byte[] body) {
        AdmissionReview review = review(body);
        return new Reading(review, Admitted.of(review.getRequest()));
    }

    /** A review that has been read. Both ways to its answer throw MalformedReviewException where its object is none of its kind. */
    public final class Reading {
        private final AdmissionReview review;
        private final Admitted request;

        private Reading(AdmissionReview review, Admitted request) {
            this.review = review;
            this.request = request;
        }

        /** The answer where nobody has to be asked for it; empty where somebody has. Never blocks. */
        public Optional<Answer> answerAtOnce() {
            return admission.judgeAtOnce(request).map(verdict -> AdmissionEndpoint.answer(review, verdict));
        }

        public Answer answer() {
            return AdmissionEndpoint.answer(review, admission.judge(request));
        }
    }

    private static Answer answer(AdmissionReview review, Verdict verdict) {
        AdmissionReview answer = new AdmissionController<>(request -> response(verdict)).handle(review);
        answer.setApiVersion(API_VERSION);
        answer.setKind("AdmissionReview");
        return new Answer(write(answer), outcome(verdict));
    }

    private static AdmissionReview review(byte[] body) {
        AdmissionReview review;
        try {
            review = JSON.readValue(body, AdmissionReview.class);
        } catch (JsonProcessingException e) {
            throw new MalformedReviewException("no AdmissionReview: " + e.getOriginalMessage());
        } catch (IOException e) {
            throw new MalformedReviewException("no AdmissionReview: " + e.getMessage());
        }
        if (review == null || review.getRequest() == null) {
            throw new MalformedReviewException("no AdmissionReview with a request");
        }
        if (!API_VERSION.equals(review.getApiVersion())) {
            throw new MalformedReviewException("apiVersion: want " + API_VERSION + ", got " + review.getApiVersion());
        }
        if (review.getRequest().getUid() == null || review.getRequest().getUid().isEmpty()) {
            throw new MalformedReviewException("request.uid: missing");
        }
        return review;
    }

    private static String write(AdmissionReview answer) {
        try {
            return JSON.writeValueAsString(answer);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String outcome(Verdict verdict) {
        return switch (verdict) {
            case Verdict.Allowed allowed -> "allowed";
            case Verdict.Patched patched -> "patched";
            case Verdict.Denied denied -> "denied";
        };
    }

    private static AdmissionResponse response(Verdict verdict) {
        return switch (verdict) {
            case Verdict.Allowed(List<String> warnings) -> allowed(warnings);
            case Verdict.Patched(var patch, List<String> warnings) -> {
                AdmissionResponse response = allowed(warnings);
                response.setPatchType(AdmissionUtils.JSON_PATCH);
                response.setPatch(
                        Base64.getEncoder().encodeToString(patch.toString().getBytes(StandardCharsets.UTF_8)));
                yield response;
            }
            case Verdict.Denied(List<FieldError> errors) -> denied(errors);
        };
    }

    private static AdmissionResponse allowed(List<String> warnings) {
        AdmissionResponse response = AdmissionUtils.allowedAdmissionResponse();
        response.setWarnings(warnings);
        return response;
    }

    private static AdmissionResponse denied(List<FieldError> errors) {
        AdmissionResponse response = new AdmissionResponse();
        response.setAllowed(false);
        response.setStatus(new StatusBuilder()
                .withStatus("Failure")
                .withCode(UNPROCESSABLE)
                .withReason("Invalid")
                .withMessage(FieldError.inOneLine(errors))
                .withNewDetails()
                .withCauses(errors.stream()
                        .map(error -> new StatusCause(error.field(), error.message(), "FieldValueInvalid"))
                        .toList())
                .endDetails()
                .build());
        return response;
    }
}
