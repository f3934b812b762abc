package io.kubevirt.ferry.bench;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** What the code alone takes, without network or API server, by JMH. */
final class Code {
    private static final int ITERATIONS = 5;

    private Code() {}

    static List<Figure> measure() throws RunnerException {
        Collection<RunResult> results = new Runner(new OptionsBuilder()
                        .include(NarrowingBenchmark.class.getName())
                        .include(TermReadingBenchmark.class.getName())
                        .include(ReviewBenchmark.class.getName())
                        .forks(1)
                        .warmupIterations(ITERATIONS)
                        .warmupTime(TimeValue.seconds(1))
                        .measurementIterations(ITERATIONS)
                        .measurementTime(TimeValue.seconds(1))
                        .jvmArgsAppend("-XX:+UseSerialGC", "-Xmx160m")
                        .verbosity(VerboseMode.SILENT)
                        .build())
                .run();
        Map<String, Double> micros = results.stream()
                .collect(Collectors.toMap(
                        Code::name, result -> result.getPrimaryResult().getScore()));
        double one = micros.get("NarrowingBenchmark 1");
        return List.of(
                Figure.of("AND of a pod and a term", "2 µs", "%.2f µs", one),
                Figure.of(
                        "the same with 4, 16, 64 required terms",
                        "linear",
                        "%s",
                        List.of(4, 16, 64).stream()
                                .map(terms -> {
                                    double all = micros.get("NarrowingBenchmark " + terms);
                                    return String.format(Locale.ROOT, "%.2f µs (%.2f each)", all, all / terms);
                                })
                                .collect(Collectors.joining(", "))),
                Figure.of(
                        "reading and checking a term",
                        "",
                        "JSON %.1f µs, YAML %.1f µs",
                        micros.get("TermReadingBenchmark " + TargetPods.JSON_TERM),
                        micros.get("TermReadingBenchmark " + TargetPods.YAML_TERM)),
                Figure.of(
                        "review of a target pod, bytes to bytes",
                        "",
                        "ordinary %.0f µs, directed %.0f µs",
                        micros.get("ReviewBenchmark false"),
                        micros.get("ReviewBenchmark true")));
    }

    /** The class and its parameter. */
    private static String name(RunResult result) {
        String method = result.getParams().getBenchmark();
        String type = method.substring(0, method.lastIndexOf('.'));
        String parameter = result.getParams()
                .getParam(result.getParams().getParamsKeys().iterator().next());
        return type.substring(type.lastIndexOf('.') + 1) + " " + parameter;
    }
}
