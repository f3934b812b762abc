package io.kubevirt.ferry.fuzz;

/** A comparison or simulation that can go on with ever new random cases. */
public interface Fuzzer extends AutoCloseable {

    /**
     * Tries some cases, a second's worth or so, all of which follow from the seed.
     *
     * @return how many
     * @throws AssertionError for a case that came out wrong; the message tells it whole
     */
    int batch(long seed);

    /** What came of that many cases, none of them wrong. */
    default String outcome(long cases) {
        return "%,d cases, no difference".formatted(cases);
    }

    /** What is worth telling beside the number of cases, on one line; empty if nothing is. */
    default String figures() {
        return "";
    }

    @Override
    void close();
}
