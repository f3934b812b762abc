package io.kubevirt.ferry.volumes.simulation;

import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.LongStream;

/** Runs schedules, and shows those that break a law. */
final class Simulation {
    private static final int LONGEST_TRACE = 200_000;

    private final Core core;
    final Coverage coverage = new Coverage();

    Simulation(Core core) {
        this.core = core;
    }

    /** The first of the seeds from this one on with which a law is broken, told to its end. */
    Optional<Failure> run(long first, int count) {
        return first(first, count, failure -> true);
    }

    /** The first of them that is broken in that way; each schedule is one thread's, several run at once. */
    Optional<Failure> first(long first, int count, Predicate<Failure> wanted) {
        return LongStream.range(first, first + count)
                .parallel()
                .mapToObj(this::run)
                .flatMap(Optional::stream)
                .filter(wanted)
                .findFirst();
    }

    /** A failure, if the schedule of this seed breaks a law. */
    Optional<Failure> run(long seed) {
        var schedule = Schedule.drawn(seed, core, false);
        try {
            schedule.run();
        } catch (RuntimeException e) {
            return Optional.of(replay(seed));
        }
        coverage.add(schedule);
        return schedule.cluster.violations.isEmpty() ? Optional.empty() : Optional.of(replay(seed));
    }

    Failure replay(long seed) {
        var schedule = Schedule.drawn(seed, core, true);
        try {
            schedule.run();
        } catch (RuntimeException e) {
            schedule.trace.note("-- threw " + e);
        }
        return new Failure(seed, schedule);
    }

    /** A schedule that broke a law. */
    record Failure(long seed, Schedule schedule) {
        boolean breaks(Law law) {
            return schedule.cluster.violations.stream().anyMatch(violation -> violation.law() == law);
        }

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
