package io.kubevirt.ferry.placement;

import io.kubevirt.ferry.fuzz.Fuzzer;
import io.kubevirt.ferry.placement.Oracle.Answer;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Holds reading, validation, matching and the AND against Kubernetes' own code on random cases. */
public final class KubernetesComparison implements Fuzzer {

    private static final int BATCH = 3_000;

    /** How many texts of each kind Kubernetes accepted, and how many it refused. */
    record Split(Map<RandomCase.Kind, Integer> accepted, Map<RandomCase.Kind, Integer> refused) {

        Split() {
            this(new EnumMap<>(RandomCase.Kind.class), new EnumMap<>(RandomCase.Kind.class));
        }

        void count(RandomCase.Kind kind, boolean isAccepted) {
            (isAccepted ? accepted : refused).merge(kind, 1, Integer::sum);
        }

        int accepted(RandomCase.Kind kind) {
            return accepted.getOrDefault(kind, 0);
        }

        int refused(RandomCase.Kind kind) {
            return refused.getOrDefault(kind, 0);
        }

        @Override
        public String toString() {
            return Stream.of(RandomCase.Kind.values())
                    .map(kind -> "%s: %,d accepted, %,d refused".formatted(kind.made(), accepted(kind), refused(kind)))
                    .collect(Collectors.joining("; "));
        }
    }

    private final Oracle oracle = Oracle.start();
    private final Split split = new Split();

    private KubernetesComparison() {}

    public static KubernetesComparison start() {
        return new KubernetesComparison();
    }

    @Override
    public int batch(long seed) {
        List<Asked> asked = IntStream.range(0, BATCH)
                .mapToObj(number -> Asked.of(RandomCase.of(seed, number)))
                .toList();
        List<Answer> answers = oracle.ask(asked.stream().map(Asked::question).toList());
        for (int i = 0; i < BATCH; i++) {
            RandomCase random = asked.get(i).random();
            List<String> differences = asked.get(i).differences(answers.get(i));
            if (!differences.isEmpty()) {
                throw new AssertionError(
                        "seed %d, case %d: %s%n%s".formatted(seed, i, String.join("; ", differences), random));
            }
            split.count(
                    random.kind(), Objects.requireNonNull(answers.get(i).text()).isAccepted());
        }
        return BATCH;
    }

    Split split() {
        return split;
    }

    @Override
    public void close() {
        oracle.close();
    }
}
