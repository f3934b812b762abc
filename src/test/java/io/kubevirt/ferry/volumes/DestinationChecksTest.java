package io.kubevirt.ferry.volumes;

import static io.kubevirt.ferry.volumes.Scene.dataVolumeObject;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.VolumeResourceRequirementsBuilder;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Whether a destination is there, filled and big enough. */
class DestinationChecksTest {

    @ParameterizedTest(name = "{0} for {1}: {2}")
    @CsvSource({
        "1024Mi, 1Gi, fits",
        "1Gi, 1024Mi, fits",
        "1073741824, 1Gi, fits",
        "1e9, 1G, fits",
        "1G, 1e9, fits",
        "1G, 1Gi, too small",
        "1e9, 1Gi, too small",
        "1Gi, 1e9, fits",
        "999M, 1G, too small",
        "0.5Ti, 512Gi, fits",
        "511Gi, 0.5Ti, too small",
        "1500m, 1, fits",
        "9Gi, 10Gi, too small",
        "9007199254740993, 9007199254740994, too small"
    })
    void sizesAreCompared(String destination, String source, String then) {
        assertThat(tooSmall(bound(source, null), bound(destination, null))).isEqualTo(then.equals("too small"));
    }

    static Stream<Arguments> modes() {
        return Stream.of(
                arguments("block to block of the same size", "Block", "Block", "10Gi", false),
                arguments("filesystem to block of the same size", "Filesystem", "Block", "10Gi", false),
                arguments("filesystem to filesystem of the same size", "Filesystem", "Filesystem", "10Gi", false),
                arguments("no mode is filesystem", null, null, "10Gi", false),
                arguments("block to filesystem of the same size", "Block", "Filesystem", "10Gi", true),
                arguments("block to no mode of the same size", "Block", null, "10Gi", true),
                arguments("block to a bigger filesystem", "Block", "Filesystem", "11Gi", false));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("modes")
    void aFilesystemTakesSomeOfItsClaim(
            String what, @Nullable String source, @Nullable String destination, String size, boolean tooSmall) {
        assertThat(tooSmall(bound("10Gi", source), bound(size, destination)))
                .as(what)
                .isEqualTo(tooSmall);
    }

    @Test
    void aBoundClaimHasItsCapacityAndAnotherWhatItAsksFor() {
        assertThat(tooSmall(bound("10Gi", null), asking("10Gi", "Pending"))).isFalse();
        assertThat(tooSmall(bound("10Gi", null), asking("9Gi", "Pending"))).isTrue();
        assertThat(tooSmall(
                        bound("10Gi", null),
                        asking("9Gi", "Bound").andThen(c -> c.getStatus().setCapacity(size("10Gi")))))
                .isFalse();
        assertThat(tooSmall(asking("10Gi", "Bound"), asking("9Gi", "Pending")))
                .as("bound, with no capacity written yet")
                .isTrue();
        assertThat(tooSmall(bound("10Gi", null), c -> {
                    c.getSpec().setResources(null);
                    c.setStatus(null);
                }))
                .as("nobody knows")
                .isFalse();
    }

    private static boolean tooSmall(
            Consumer<PersistentVolumeClaim> source, Consumer<PersistentVolumeClaim> destination) {
        var findings = Checks.findings(
                Checks.BEFORE_CHANGE,
                new Scene()
                        .claim("old-root", source)
                        .claim("new-root", destination)
                        .subject());
        assertThat(findings).allMatch(finding -> finding.reason() == Reason.DestinationTooSmall);
        return !findings.isEmpty();
    }

    private static Consumer<PersistentVolumeClaim> bound(String size, @Nullable String mode) {
        return claim -> {
            claim.getStatus().setCapacity(size(size));
            claim.getSpec().setVolumeMode(mode);
        };
    }

    private static Consumer<PersistentVolumeClaim> asking(String size, String phase) {
        return claim -> {
            claim.getStatus().setPhase(phase);
            claim.getStatus().setCapacity(null);
            claim.getSpec()
                    .setResources(new VolumeResourceRequirementsBuilder()
                            .withRequests(size(size))
                            .build());
        };
    }

    private static Map<String, Quantity> size(String text) {
        return Map.of("storage", Quantity.parse(text));
    }

    static Stream<Arguments> notReady() {
        return Stream.of(
                arguments("missing", without(), "There is no claim new-root: create it"),
                arguments(
                        "made by a DataVolume",
                        without().andThen(filling("Pending")),
                        "filled by its DataVolume (Pending)"),
                arguments("being filled", filling("CloneInProgress"), "filled by its DataVolume (CloneInProgress)"),
                arguments("waiting for a pod", filling("WaitForFirstConsumer"), "storage.bind.immediate.requested"),
                arguments("populated by a pod", filling("PendingPopulation"), "storage.bind.immediate.requested"),
                arguments("that filling failed", filling("Failed"), "filled by its DataVolume (Failed)"),
                arguments("not seen by CDI yet", filling(""), "filled by its DataVolume:"),
                arguments("lost", claim(c -> c.getStatus().setPhase("Lost")), "has lost its PersistentVolume"),
                arguments(
                        "being deleted while it is filled",
                        filling("CloneInProgress")
                                .andThen(claim(c -> c.getMetadata().setDeletionTimestamp("now"))),
                        "is being deleted"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("notReady")
    void aDestinationIsNotReady(String what, Consumer<Scene> change, String words) {
        var findings =
                Checks.findings(Checks.BEFORE_CHANGE, new Scene().with(change).subject());
        assertThat(findings).as(what).singleElement().satisfies(finding -> {
            assertThat(finding.reason()).isEqualTo(Reason.DestinationNotReady);
            assertThat(finding.message()).contains(words);
        });
    }

    @Test
    void aDestinationNeedNotBeBound() {
        assertThat(Checks.findings(
                        Checks.BEFORE_CHANGE,
                        new Scene().claim("new-root", asking("10Gi", "Pending")).subject()))
                .isEmpty();
    }

    private static Consumer<Scene> without() {
        return scene -> scene.claims.removeIf(c -> c.getMetadata().getName().equals("new-root"));
    }

    private static Consumer<Scene> filling(String phase) {
        return scene -> scene.dataVolumes.add(dataVolumeObject("new-root", phase));
    }

    private static Consumer<Scene> claim(Consumer<PersistentVolumeClaim> change) {
        return scene -> scene.claim("new-root", change);
    }
}
