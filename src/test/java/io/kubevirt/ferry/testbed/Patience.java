package io.kubevirt.ferry.testbed;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** How long tests wait for what is to come: longer than it takes on a machine that others load. */
public final class Patience {

    /** Who waits longer waits for what never comes. */
    public static final Duration PATIENCE = Duration.ofMinutes(2);

    private Patience() {}

    /** Waits for what is to come sooner or later. */
    public static ConditionFactory eventually() {
        return Awaitility.await().atMost(PATIENCE);
    }
}
