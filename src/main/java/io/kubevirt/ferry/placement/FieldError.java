package io.kubevirt.ferry.placement;

public record FieldError(String field, String message) {
    sealed interface A permits B {}

    record B(int x) implements A {}

    static int f(A a) {
        return switch (a) {
            case B(var x) -> x;
        };
    }
}
