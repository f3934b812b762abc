package io.kubevirt.ferry.demo;

/** Something did not come out as the demo says. The message is for whoever watches. */
final class DemoException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    DemoException(String message) {
        super(message);
    }
}
