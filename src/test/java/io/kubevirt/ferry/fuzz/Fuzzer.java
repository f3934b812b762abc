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

    /** What is worth telling beside the number of cases, on one line; empty if nothing is. */
    default String figures() {
        return "";
    }

    @Override
    void close();
}
