package io.kubevirt.ferry.volumes.simulation;

import java.util.List;
import java.util.SplittableRandom;

/** The one source of chance of a schedule. */
final class Chance {
    private final SplittableRandom random;

    Chance(long seed) {
        this.random = new SplittableRandom(seed);
    }

    boolean of(double probability) {
        return probability > 0 && random.nextDouble() < probability;
    }

    /** From 0, below the bound. */
    int below(int bound) {
        return random.nextInt(bound);
    }

    long between(long low, long high) {
        return random.nextLong(low, high + 1);
    }

    double share() {
        return random.nextDouble();
    }

    @SafeVarargs
    final <T> T oneOf(T... choices) {
        return choices[random.nextInt(choices.length)];
    }

    <T> T oneOf(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }
}
