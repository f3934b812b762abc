package io.kubevirt.ferry.bench;

import java.util.List;

/** Measurements of one thing, in whatever unit. */
record Samples(List<Double> sorted) {
    Samples {
        sorted = sorted.stream().sorted().toList();
    }

    double median() {
        return quantile(0.5);
    }

    /**
     * The smallest measurement that at least this part of them does not exceed.
     *
     * @param part above 0, at most 1
     */
    double quantile(double part) {
        return sorted.get((int) Math.ceil(part * sorted.size()) - 1);
    }

    int size() {
        return sorted.size();
    }
}
