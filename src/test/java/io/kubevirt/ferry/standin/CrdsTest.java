package io.kubevirt.ferry.standin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The definitions of the stand-in are KubeVirt's, cut down: nothing in them is made up. */
class CrdsTest {

    static List<Kind> kinds() {
        return SchemaDigests.KINDS;
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void eachFieldIsOneOfKubeVirtsWithThatType(Kind kind) {
        Map<String, String> kubeVirts = Fields.schemaOfKubeVirt(kind);

        List<String> madeUp = new ArrayList<>();
        Fields.of(kind.plural).forEach((path, type) -> {
            boolean there = type.equals(kubeVirts.get(path))
                    || (type.equals("object")
                            && kubeVirts.keySet().stream().anyMatch(each -> each.startsWith(path + ".")));
            if (!there) {
                madeUp.add(path + " " + type + ", in KubeVirt " + kubeVirts.get(path));
            }
        });

        assertThat(madeUp).isEmpty();
    }

    @Test
    void migrationsHaveNoAddedNodeSelectorTerm() {
        assertThat(Fields.of(Kind.VMIM.plural).keySet())
                .contains("spec.addedNodeSelector{}")
                .noneMatch(path -> path.contains("addedNodeSelectorTerm"));
        assertThat(Fields.schemaOfKubeVirt(Kind.VMIM).keySet())
                .noneMatch(path -> path.contains("addedNodeSelectorTerm"));
    }

    /** Where KubeVirt's definitions themselves are at hand, the digests of them are what the generator makes. */
    @Test
    void theDigestsAreThoseOfKubeVirtsDefinitions() {
        definitions()
                .map(SchemaDigests::digests)
                .ifPresent(digests ->
                        digests.forEach((name, text) -> assertThat(Fields.lines("/standin/schemas/" + name + ".fields"))
                                .containsExactlyElementsOf(text.lines()
                                        .filter(line -> !line.startsWith("#"))
                                        .toList())));
    }

    /** A folder {@code shared/kubevirt-crds} beside the checkout or further up, or where {@code shared.dir} says. */
    private static Optional<Path> definitions() {
        Path here = Path.of("").toAbsolutePath();
        Stream<Path> folders = Stream.concat(
                Optional.ofNullable(System.getProperty("shared.dir")).map(Path::of).stream(),
                Stream.iterate(here, each -> each != null, Path::getParent).map(each -> each.resolve("shared")));
        return folders.map(each -> each.resolve("kubevirt-crds"))
                .filter(Files::isDirectory)
                .findFirst();
    }

    @Test
    void aListingBecomesAStructuralSchema() throws Exception {
        assertThat(Fields.schema(Map.of("a.b[].c", "string", "m{}", "quantity", "t", "date-time?")))
                .isEqualTo(new ObjectMapper().readTree("""
                        {"type": "object", "properties": {
                          "a": {"type": "object", "properties": {"b": {"type": "array", "items":
                            {"type": "object", "properties": {"c": {"type": "string"}}}}}},
                          "m": {"type": "object", "additionalProperties": {"x-kubernetes-int-or-string": true}},
                          "t": {"type": "string", "format": "date-time", "nullable": true}}}
                        """));
    }
}
