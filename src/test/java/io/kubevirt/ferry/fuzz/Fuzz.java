package io.kubevirt.ferry.fuzz;

import io.kubevirt.ferry.admission.AdmissionFuzzer;
import io.kubevirt.ferry.placement.KubernetesComparison;
import io.kubevirt.ferry.volumes.simulation.ScheduleFuzzer;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** Runs every fuzzer for its share of the time: {@code Fuzz SECONDS [SEED]}. */
public final class Fuzz {

    private static final Map<String, Supplier<Fuzzer>> FUZZERS = new LinkedHashMap<>();

    static {
        FUZZERS.put("placement", KubernetesComparison::start);
        FUZZERS.put("admission", AdmissionFuzzer::new);
        FUZZERS.put("volumes", ScheduleFuzzer::new);
    }

    private Fuzz() {}

    public static void main(String[] arguments) {
        Duration each = Duration.ofSeconds(Long.parseLong(arguments[0])).dividedBy(FUZZERS.size());
        long seed = arguments.length > 1
                ? Long.parseLong(arguments[1])
                : RandomGenerator.getDefault().nextInt(1_000_000_000);
        var out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        FUZZERS.forEach((name, fuzzer) -> run(name, fuzzer, each, seed, out));
    }

    private static void run(String name, Supplier<Fuzzer> start, Duration time, long seed, PrintStream out) {
        long cases = 0;
        long batch = seed;
        String outcome;
        String figures;
        try (Fuzzer fuzzer = start.get()) {
            for (long end = System.nanoTime() + time.toNanos(); System.nanoTime() < end; batch++) {
                cases += fuzzer.batch(batch);
            }
            outcome = fuzzer.outcome(cases);
            figures = fuzzer.figures();
        } catch (AssertionError | RuntimeException e) {
            out.printf("%s: again with: make fuzz SECONDS=1 SEED=%d%n", name, batch);
            throw e;
        }
        out.printf("%s: %s, seed %d%n", name, outcome, seed);
        if (!figures.isEmpty()) {
            out.printf("%s: %s%n", name, figures);
        }
    }
}
