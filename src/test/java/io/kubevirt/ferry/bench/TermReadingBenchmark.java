package io.kubevirt.ferry.bench;

import io.kubevirt.ferry.admission.DirectedMigration;
import io.kubevirt.ferry.placement.TermReader;
import io.kubevirt.ferry.placement.TermReading;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Reading and checking a term. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class TermReadingBenchmark {
    /** The same term in both languages. */
    @Param({TargetPods.JSON_TERM, TargetPods.YAML_TERM})
    public String text = "";

    public TermReadingBenchmark() {}

    @Benchmark
    public TermReading read() {
        return TermReader.read(DirectedMigration.ANNOTATION_PATH, text);
    }
}
