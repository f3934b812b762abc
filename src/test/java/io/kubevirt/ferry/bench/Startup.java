package io.kubevirt.ferry.bench;

import io.kubevirt.ferry.testbed.ControlPlane;
import java.util.ArrayList;
import java.util.List;

/** How long the manager takes to be ready, and what it then holds of memory. */
final class Startup {
    private static final int RUNS = 9;

    /** The JVM settles: the collector has run, the compiler is done with what the start needed. */
    private static final long SETTLED_MILLIS = 10_000;

    private Startup() {}

    /** The very first start makes the certificate and patches KubeVirt's definition; it is told apart from the others. */
    static List<Figure> measure(ControlPlane controlPlane) throws InterruptedException {
        double first;
        double firstResident;
        try (MeasuredManager manager = MeasuredManager.start(controlPlane)) {
            first = manager.untilReady().toMillis();
            Thread.sleep(SETTLED_MILLIS);
            firstResident = manager.resident();
        }
        List<Double> times = new ArrayList<>();
        List<Double> processor = new ArrayList<>();
        for (int run = 0; run < RUNS; run++) {
            try (MeasuredManager manager = MeasuredManager.start(controlPlane)) {
                times.add((double) manager.untilReady().toMillis());
                processor.add(manager.processorTimeUntilReady());
            }
        }
        Samples ready = new Samples(times);
        try (MeasuredManager manager = MeasuredManager.start(controlPlane)) {
            Thread.sleep(SETTLED_MILLIS);
            return List.of(
                    Figure.of(
                            "ready after start",
                            "2 s",
                            "median %.2f s (%.2f s of processor time), slowest of %d %.2f s; the very first start %.2f s",
                            ready.median() / 1000,
                            new Samples(processor).median(),
                            RUNS,
                            ready.quantile(1) / 1000,
                            first / 1000),
                    Figure.of(
                            "resident memory, idle",
                            "150 MiB",
                            "%.0f MiB (%.0f MiB of it anonymous); after the very first start %.0f MiB",
                            manager.resident(),
                            manager.anonymous(),
                            firstResident));
        }
    }
}
