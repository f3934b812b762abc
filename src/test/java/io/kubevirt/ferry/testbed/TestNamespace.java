package io.kubevirt.ferry.testbed;

/** A namespace that one test has to itself. */
public record TestNamespace(String name) {
    @Override
    public String toString() {
        return name;
    }
}
