package io.kubevirt.ferry.volumes;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.kubevirt.ferry.kubevirt.KubeVirt;
import io.kubevirt.ferry.placement.FieldError;
import io.kubevirt.ferry.placement.TermReader;
import io.kubevirt.ferry.placement.TermReading;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What the cluster must offer: a KubeVirt that takes a volume update as a live migration, and a term that can match. */
final class ClusterChecks {
    private static final int MOST_ERRORS = 5;
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern VERSION = Pattern.compile("v?(\\d{1,6})\\.(\\d{1,6})(?:[.+-].*)?");

    private ClusterChecks() {}

    static Stream<Finding> kubeVirtIsThere(Subject subject) {
        var kubeVirt = subject.seen().kubeVirt();
        if (kubeVirt.isEmpty()) {
            return one(Reason.KubeVirtNotReady, "There is no KubeVirt in this cluster: install it, then this goes on");
        }
        return kubeVirt.flatMap(KubeVirt::version).filter(version -> !since(1, 5, version)).stream()
                .flatMap(version -> one(
                        Reason.KubeVirtNotReady,
                        "KubeVirt " + version + " is too old: upgrade it to 1.5 or later, then this goes on"));
    }

    /** Absent means {@code LiveUpdate} from KubeVirt 1.6 on, {@code Stage} before. */
    static Stream<Finding> updatesLive(Subject subject) {
        return subject.seen().kubeVirt().stream().flatMap(kubeVirt -> {
            var strategy = kubeVirt.rolloutStrategy();
            if (strategy.isEmpty() && kubeVirt.version().isEmpty()) {
                return one(
                        Reason.KubeVirtNotReady,
                        "KubeVirt does not say its version yet, nor whether it updates running VMs: this goes on when it"
                                + " does");
            }
            boolean live = strategy.map("LiveUpdate"::equals)
                    .orElseGet(() -> since(1, 6, kubeVirt.version().orElseThrow()));
            return live
                    ? Stream.empty()
                    : Stream.of(rejected(
                            Reason.RolloutStrategy,
                            subject,
                            "KubeVirt does not update running VMs: set spec.configuration.vmRolloutStrategy to LiveUpdate"
                                    + " in the KubeVirt object"));
        });
    }

    /** Whether a version is at least that one. A version of another make, and 0.0.0 of a development build, are taken for new. */
    private static boolean since(int major, int minor, String text) {
        var version = VERSION.matcher(text);
        if (!version.matches()) {
            return true;
        }
        int itsMajor = Integer.parseInt(version.group(1));
        int itsMinor = Integer.parseInt(version.group(2));
        return itsMajor > major || (itsMajor == major && itsMinor >= minor) || (itsMajor == 0 && itsMinor == 0);
    }

    static Stream<Finding> neverEvicts(Subject subject) {
        return subject.seen().kubeVirt().stream()
                .map(KubeVirt::workloadUpdateMethods)
                .filter(methods -> methods.contains("Evict") && !methods.contains("LiveMigrate"))
                .flatMap(methods -> one(
                        Reason.KubeVirtNotReady,
                        "KubeVirt would evict the VM after a failed attempt: add LiveMigrate to"
                                + " spec.workloadUpdateStrategy.workloadUpdateMethods of the KubeVirt object"));
    }

    static Stream<Finding> termValid(Subject subject) {
        return subject.migration().getSpec().term().stream()
                .map(term -> TermReader.read(
                        "spec.addedNodeSelectorTerm", JSON.<com.fasterxml.jackson.databind.JsonNode>valueToTree(term)))
                .flatMap(reading -> switch (reading) {
                    case TermReading.Valid valid -> Stream.empty();
                    case TermReading.Invalid invalid ->
                        Stream.of(rejected(
                                Reason.InvalidTerm,
                                subject,
                                "The term is not valid: "
                                        + FieldError.inOneLine(invalid.errors().stream()
                                                .limit(MOST_ERRORS)
                                                .toList())
                                        + ". Correct it in a new VolumeMigration"));
                });
    }

    private static Finding rejected(Reason reason, Subject subject, String message) {
        return new Finding(reason, subject.sources(), message);
    }

    private static Stream<Finding> one(Reason reason, String message) {
        return Stream.of(new Finding(reason, Set.of(), message));
    }
}
