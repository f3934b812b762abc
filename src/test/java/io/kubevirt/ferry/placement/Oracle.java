package io.kubevirt.ferry.placement;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.NodeAffinity;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.Toleration;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Kubernetes' own code, asked in batches: {@code testbed oracle}. */
final class Oracle implements AutoCloseable {

    /** A line to ask; what is null is not asked. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Question(@Nullable String termText, @Nullable NodeSelectorTerm term, List<Pod> pods, List<Node> nodes) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Pod(@Nullable NodeAffinity affinity, Map<String, String> nodeSelector, List<Toleration> tolerations) {

        static Pod with(@Nullable Affinity affinity) {
            return new Pod(affinity == null ? null : affinity.getNodeAffinity(), Map.of(), List.of());
        }
    }

    record Node(
            String name,
            @JsonInclude(JsonInclude.Include.NON_EMPTY) Map<String, String> labels,
            @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Taint> taints,
            boolean unschedulable) {

        Node(String name, Map<String, String> labels) {
            this(name, labels, List.of(), false);
        }
    }

    /**
     * A line of answer.
     *
     * @param text on the question's {@code termText}, if that was asked
     * @param term on the question's {@code term}, if that was asked
     */
    record Answer(
            @Nullable String failure,
            @Nullable Decoding text,
            @Nullable Judgement term,
            List<Places> pods) {
        Answer {
            pods = present(pods);
        }
    }

    /**
     * Whether a text is a term.
     *
     * @param errors why it is none; if there are none, {@code term} is there, and judged
     */
    record Decoding(
            boolean yaml,
            List<String> errors,
            @Nullable NodeSelectorTerm term,
            List<Problem> validation,
            List<Problem> parsing) {
        Decoding {
            errors = present(errors);
            validation = present(validation);
            parsing = present(parsing);
        }

        Judgement judgement() {
            return new Judgement(validation, parsing);
        }

        /** Whether it is a term that can match. */
        boolean isAccepted() {
            return term != null && validation.isEmpty() && parsing.isEmpty() && !Requirements.none(term);
        }
    }

    /**
     * What is wrong with a term.
     *
     * @param validation for the API server
     * @param parsing for the scheduler, which never lets it match
     */
    record Judgement(List<Problem> validation, List<Problem> parsing) {
        Judgement {
            validation = present(validation);
            parsing = present(parsing);
        }
    }

    /**
     * Where a pod may go.
     *
     * @param validation what is wrong with its affinity
     * @param matches of each node, as far as affinity and node selector are concerned
     * @param tolerated of each node, as far as taints and being cordoned are concerned
     */
    record Places(List<Problem> validation, List<Boolean> matches, List<Boolean> tolerated) {
        Places {
            validation = present(validation);
        }
    }

    record Problem(String field, String type, String detail) {}

    private static <T> List<T> present(@Nullable List<T> list) {
        return list == null ? List.of() : list;
    }

    // What is no Unicode goes over as escapes.
    private static final ObjectMapper MAPPER =
            JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

    private final Process process;
    private final Writer in;
    private final BufferedReader out;

    private Oracle(Process process) {
        this.process = process;
        this.in = process.outputWriter(StandardCharsets.UTF_8);
        this.out = process.inputReader(StandardCharsets.UTF_8);
    }

    static Oracle start() {
        String binary = System.getProperty("testbed.binary", "target/testbed/testbed");
        try {
            return new Oracle(new ProcessBuilder(binary, "oracle")
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The answers, in order. */
    List<Answer> ask(List<Question> questions) {
        // Both pipes are small: what is answered must be read while the rest is asked.
        Thread asking = Thread.startVirtualThread(() -> write(questions));
        var answers = new ArrayList<Answer>(questions.size());
        try {
            for (int i = 0; i < questions.size(); i++) {
                @Nullable String line = out.readLine();
                if (line == null) {
                    throw new IllegalStateException("the oracle ended");
                }
                Answer answer = MAPPER.readValue(line, Answer.class);
                if (answer.failure() != null) {
                    throw new IllegalStateException(answer.failure());
                }
                answers.add(answer);
            }
            asking.join();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return answers;
    }

    private void write(List<Question> questions) {
        try {
            for (Question question : questions) {
                in.write(MAPPER.writeValueAsString(question));
                in.write('\n');
            }
            in.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        process.destroy();
    }
}
