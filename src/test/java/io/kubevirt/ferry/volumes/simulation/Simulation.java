package io.kubevirt.ferry.volumes.simulation;

import java.util.Optional;
import java.util.stream.LongStream;

/** Runs schedules, and shows those that break a law. */
final class Simulation {
    private static final int LONGEST_TRACE = 200_000;

    private final Core core;
    final Coverage coverage = new Coverage();

    Simulation(Core core) {
        this.core = core;
    }

    /**
     * The first of the seeds from this one on with which a law is broken, told to its end. A schedule is one thread's; several
     * are run at once.
     */
    Optional<Failure> run(long first, int count) {
        return LongStream.range(first, first + count)
                .parallel()
                .mapToObj(this::run)
                .flatMap(Optional::stream)
                .findFirst();
    }

    /** Whether that law is broken with any of the seeds. */
    boolean breaks(Law law, long first, int count) {
        return LongStream.range(first, first + count)
                .parallel()
                .mapToObj(seed -> Schedule.drawn(seed, core, false))
                .anyMatch(schedule -> ends(schedule) && schedule.breaks(law));
    }

    /** A failure, if the schedule of this seed breaks a law. */
    Optional<Failure> run(long seed) {
        var schedule = Schedule.drawn(seed, core, false);
        if (ends(schedule)) {
            coverage.add(schedule);
            if (schedule.cluster.violations.isEmpty()) {
                return Optional.empty();
            }
        }
        return Optional.of(replay(seed));
    }

    /** False for one that throws. */
    private static boolean ends(Schedule schedule) {
        try {
            schedule.run();
            return true;
        } catch (RuntimeException e) {
            schedule.trace.note("-- threw " + e);
            return false;
        }
    }

    private Failure replay(long seed) {
        var schedule = Schedule.drawn(seed, core, true);
        ends(schedule);
        return new Failure(seed, schedule);
    }

    /** A schedule that broke a law. */
    record Failure(long seed, Schedule schedule) {
        @Override
        public String toString() {
            return "seed " + seed + ": " + schedule.cluster.violations
                    + "\nreplay with mvn verify -DskipITs -Dtest=SimulationTest -Dsurefire.failIfNoSpecifiedTests=false -Dsimulation.seed="
                    + seed + "\n" + shortened(schedule.trace.toString());
        }

        private static String shortened(String trace) {
            return trace.length() <= LONGEST_TRACE
                    ? trace
                    : trace.substring(0, LONGEST_TRACE / 2) + "\n…\n"
                            + trace.substring(trace.length() - LONGEST_TRACE / 2);
        }
    }
}
