package io.kubevirt.ferry.volumes;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.kubevirt.ferry.kubevirt.KubeVirt;
import io.kubevirt.ferry.placement.FieldError;
import io.kubevirt.ferry.placement.TermReader;
import io.kubevirt.ferry.placement.TermReading;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the cluster must offer: a KubeVirt that takes a volume update as a live migration, and a term that can match. */
final class ClusterChecks {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern VERSION = Pattern.compile("v?(\\d{1,6})\\.(\\d{1,6})\\..*");

    private ClusterChecks() {}

    static Stream<Finding> kubeVirtIsThere(Subject subject) {
        return subject.seen().kubeVirt().isPresent()
                ? Stream.empty()
                : one(Reason.KubeVirtNotReady, "There is no KubeVirt in this cluster: install it, then this goes on");
    }

    /** Absent means {@code LiveUpdate} from KubeVirt 1.6 on, {@code Stage} before. */
    static Stream<Finding> updatesLive(Subject subject) {
        return subject.seen().kubeVirt().stream()
                .filter(kubeVirt -> !kubeVirt.rolloutStrategy()
                        .map("LiveUpdate"::equals)
                        .orElseGet(() -> updatesLiveByDefault(kubeVirt)))
                .map(kubeVirt -> rejected(
                        Reason.RolloutStrategy,
                        subject,
                        "KubeVirt does not update running VMs: set spec.configuration.vmRolloutStrategy to LiveUpdate in"
                                + " the KubeVirt object"));
    }

    private static boolean updatesLiveByDefault(KubeVirt kubeVirt) {
        var version = VERSION.matcher(kubeVirt.version().orElse(""));
        if (!version.matches()) {
            return true;
        }
        int major = Integer.parseInt(version.group(1));
        int minor = Integer.parseInt(version.group(2));
        // development versions call themselves 0.0.0
        return major > 1 || (major == 1 && minor >= 6) || (major == 0 && minor == 0);
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
                                invalid.errors().stream()
                                        .map(FieldError::toString)
                                        .collect(Collectors.joining("; "))));
                });
    }

    private static Finding rejected(Reason reason, Subject subject, String message) {
        return new Finding(reason, subject.sources(), message);
    }

    private static Stream<Finding> one(Reason reason, String message) {
        return Stream.of(new Finding(reason, Set.of(), message));
    }
}
