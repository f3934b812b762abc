package io.kubevirt.ferry.placement;

import org.junit.jupiter.api.Test;

class FieldErrorTest {
    @Test
    void x() {
        new FieldError("a", "b");
        FieldError.f(new FieldError.B(1));
    }
}
