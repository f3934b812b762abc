package io.kubevirt.ferry.volumes.simulation;

import java.util.Optional;

/** Runs schedules of ever new seeds for a time given in seconds, or the one of {@code -Dsimulation.seed}, told step by step. */
public final class Fuzz {
    private static final int AT_ONCE = 50;

    private Fuzz() {}

    public static void main(String... arguments) {
        var simulation = new Simulation(Cores.PROTOCOL);
        var wanted = Optional.ofNullable(Long.getLong("simulation.seed"));
        if (wanted.isPresent()) {
            System.out.println(simulation.replay(wanted.get()));
            return;
        }
        var end = System.nanoTime() + 1_000_000_000L * Long.parseLong(arguments.length == 0 ? "60" : arguments[0]);
        var first = arguments.length < 2 ? System.currentTimeMillis() << 20 : Long.parseLong(arguments[1]);
        int count = 0;
        while (System.nanoTime() < end) {
            var failure = simulation.run(first + count, AT_ONCE);
            count += AT_ONCE;
            if (failure.isPresent()) {
                System.out.println(failure.get());
                System.exit(1);
            }
        }
        System.out.println(simulation.coverage);
        System.out.println(count + " schedules, no law broken");
    }
}
