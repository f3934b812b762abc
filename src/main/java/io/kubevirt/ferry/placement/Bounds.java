package io.kubevirt.ferry.placement;

/** How much of a text is followed before it is given up: far more than a term needs, far less than would hurt. */
final class Bounds {

    /** A term has four levels. */
    private static final int DEEPEST = 16;

    /** A term that names each node of the largest cluster has some 5,000. */
    private static final int MOST = 16_384;

    private int seen;

    /** Counts one more object, list or scalar. */
    void enter(int depth) throws UnreadableException {
        if (depth > DEEPEST) {
            throw new UnreadableException("is nested more than " + DEEPEST + " levels deep; a term has four");
        }
        seen++;
        if (seen > MOST) {
            throw new UnreadableException("has more than " + MOST + " fields and values");
        }
    }
}
