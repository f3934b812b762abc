package io.kubevirt.ferry.admission;

import java.util.List;
import java.util.stream.Stream;

/** Texts that are no term, and that cost whoever reads them carelessly his memory, his stack or his time. */
final class Bombs {
    static final List<String> ALL = texts().toList();

    private Bombs() {}

    static Stream<String> texts() {
        StringBuilder laughs = new StringBuilder("a0: &a0 [lol]\n");
        for (int i = 1; i < 30; i++) {
            laughs.append("a").append(i).append(": &a").append(i).append(" [");
            laughs.append(("*a" + (i - 1) + ",").repeat(9)).append("]\n");
        }
        return Stream.of(
                "x".repeat(1 << 20),
                "{\"matchExpressions\":[" + "{\"key\":\"a\",\"operator\":\"Exists\"},".repeat(30_000) + "{}]}",
                "[".repeat(100_000),
                "{\"matchExpressions\":".repeat(10_000),
                "matchExpressions: " + "[".repeat(100_000),
                "- ".repeat(100_000),
                "? ".repeat(50_000),
                "&a [*a]",
                "matchExpressions: &a [*a, *a]",
                laughs.toString(),
                "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Exists\"}],\"matchExpressions\":[]}",
                "matchExpressions: [{key: a, operator: Exists}]\nmatchExpressions: []",
                "!!javax.script.ScriptEngineManager [!!java.net.URLClassLoader [[]]]",
                "%TAG ! tag:x,2000:\n--- !x a",
                "a".repeat(200_000) + ": b",
                "matchExpressions: [{key: a, operator: Gt, values: [\"" + "9".repeat(200_000) + "\"]}]",
                "\u0000",
                "\uD800");
    }
}
