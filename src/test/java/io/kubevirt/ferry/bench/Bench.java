package io.kubevirt.ferry.bench;

import io.kubevirt.ferry.standin.KubeVirtStandIn;
import io.kubevirt.ferry.testbed.ControlPlane;
import io.kubevirt.ferry.testbed.Installation;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/** Measures all figures and prints them beside their targets: {@code Bench [code] [start] [pods] [migrations]}. */
public final class Bench {
    private static final Set<String> PARTS = new TreeSet<>(Set.of("code", "start", "pods", "migrations"));

    private Bench() {}

    public static void main(String[] arguments) throws Exception {
        Set<String> parts = arguments.length == 0 ? PARTS : Set.of(arguments);
        if (!PARTS.containsAll(parts)) {
            System.err.println("want some of " + PARTS + ", got " + parts);
            System.exit(2);
        }
        var out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        double before = Machine.load();
        List<Figure> figures = new ArrayList<>();
        if (parts.contains("code")) {
            figures.addAll(Code.measure());
        }
        if (parts.contains("start") || parts.contains("pods") || parts.contains("migrations")) {
            try (ControlPlane controlPlane = ControlPlane.start(null)) {
                KubeVirtStandIn.install(controlPlane.admin());
                Installation.apply(controlPlane.admin());
                if (parts.contains("start")) {
                    figures.addAll(Startup.measure(controlPlane));
                }
                if (parts.contains("pods")) {
                    figures.addAll(PodCreation.measure(controlPlane));
                }
                if (parts.contains("migrations")) {
                    figures.addAll(Migrations.measure(controlPlane));
                }
            }
        }
        out.println("| figure | target | measured |");
        out.println("| --- | --- | --- |");
        figures.forEach(figure -> out.printf("| %s | %s | %s |%n", figure.what(), figure.target(), figure.measured()));
        out.printf(
                Locale.ROOT,
                "%n%s; load %.1f at the start, %.1f at the end%n",
                Machine.describe(),
                before,
                Machine.load());
    }
}
