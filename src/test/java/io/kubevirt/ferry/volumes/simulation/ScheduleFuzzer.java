package io.kubevirt.ferry.volumes.simulation;

import io.kubevirt.ferry.fuzz.Fuzzer;

/** Schedules of ever new seeds; one that breaks a law is told step by step, with the seed that replays it alone. */
public final class ScheduleFuzzer implements Fuzzer {
    private static final int BATCH = 100;

    private final Simulation simulation = new Simulation(Cores.PROTOCOL);
    private final long start = System.nanoTime();
    private int schedules;

    @Override
    public int batch(long seed) {
        simulation.run(seed * BATCH, BATCH).ifPresent(failure -> {
            throw new AssertionError(failure.toString());
        });
        schedules += BATCH;
        return BATCH;
    }

    @Override
    public String outcome(long cases) {
        return "%,d schedules, no law broken".formatted(cases);
    }

    @Override
    public String figures() {
        return "%.0f schedules a second".formatted(schedules * 1e9 / (System.nanoTime() - start));
    }

    @Override
    public void close() {}
}
