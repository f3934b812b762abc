package io.kubevirt.ferry.placement;

import java.io.Serial;

/** A text is not JSON or YAML as it is taken here; the message says why and where. */
final class UnreadableException extends Exception {

    @Serial
    private static final long serialVersionUID = 1;

    UnreadableException(String message) {
        super(message);
    }
}
