package io.kubevirt.ferry.admission;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.kubevirt.ferry.kubevirt.LauncherPod;
import io.kubevirt.ferry.placement.Demands;
import io.kubevirt.ferry.placement.NodeView;
import io.kubevirt.ferry.placement.RandomPlacement;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * A review as an API server might send it, and the cluster in which it is judged.
 *
 * @param found what the look-up of a migration comes back with
 */
record RandomReview(Kind kind, JsonNode review, RandomPlacement placement, Migrations.Found found)
        implements Surroundings, Migrations {
    /** What the review is about. */
    enum Kind {
        POD,
        MIGRATION
    }

    /** The review that follows from the two numbers. */
    static RandomReview of(long seed, int number) {
        SplittableRandom random = random(seed, number);
        RandomPlacement placement = RandomPlacement.of(seed, number);
        Kind kind = random.nextInt(3) == 0 ? Kind.MIGRATION : Kind.POD;
        ObjectNode review = Reviews.JSON.createObjectNode().put("apiVersion", "admission.k8s.io/v1");
        ObjectNode request = review.put("kind", "AdmissionReview").putObject("request");
        request.put("uid", "uid-" + number).put("namespace", "shop").put("operation", "CREATE");
        request.putObject("userInfo").put("username", "somebody");
        request.set("object", kind == Kind.POD ? pod(placement) : migration(placement, random));
        return new RandomReview(kind, review, placement, found(placement, random));
    }

    static SplittableRandom random(long seed, int number) {
        return new SplittableRandom(seed * 7_368_787 + number);
    }

    private static Found found(RandomPlacement placement, SplittableRandom random) {
        return switch (random.nextInt(8)) {
            case 0 -> new Found.Migration(Optional.empty());
            case 1 -> new Found.None();
            case 2 -> new Found.Unanswered("down");
            default -> new Found.Migration(Optional.of(text(placement)));
        };
    }

    private static ObjectNode pod(RandomPlacement placement) {
        ObjectNode pod = Reviews.JSON.createObjectNode();
        ObjectNode metadata = pod.putObject("metadata").put("generateName", "virt-launcher-");
        metadata.putObject("labels")
                .put(LauncherPod.LABEL, LauncherPod.LAUNCHER)
                .put(LauncherPod.MIGRATION_UID_LABEL, "u-1");
        metadata.putObject("annotations").put(LauncherPod.MIGRATION_NAME_ANNOTATION, "m");
        ObjectNode spec = pod.putObject("spec");
        spec.set("nodeSelector", Reviews.JSON.valueToTree(placement.nodeSelector()));
        placement.affinity().ifPresent(affinity -> spec.set("affinity", tree(affinity)));
        return pod;
    }

    private static ObjectNode migration(RandomPlacement placement, SplittableRandom random) {
        ObjectNode migration = Reviews.JSON.createObjectNode();
        int places = random.nextInt(3);
        ObjectNode metadata = migration.putObject("metadata").put("name", "m");
        if (places != 0) {
            metadata.putObject("annotations").put(DirectedMigration.ANNOTATION, text(placement));
        }
        ObjectNode spec = migration.putObject("spec").put("vmiName", "db");
        if (places != 1) {
            spec.set(DirectedMigration.FIELD, tree(placement.term()));
        }
        return migration;
    }

    /** The text as it can be sent: half a character cannot. */
    private static String text(RandomPlacement placement) {
        return new String(placement.text().getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }

    private static JsonNode tree(Object value) {
        try {
            return Reviews.JSON.readTree(Serialization.asJson(value));
        } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    JsonNode object() {
        return review.at("/request/object");
    }

    byte[] bytes() {
        return review.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** The bytes of the review after a few nodes, or a few bytes, were changed. */
    byte[] mutated(SplittableRandom random) {
        if (random.nextInt(4) == 0) {
            return mangled(bytes(), random);
        }
        JsonNode mutant = review;
        for (int i = random.nextInt(3); i >= 0; i--) {
            List<JsonPointer> pointers = Mutants.pointers(mutant);
            JsonPointer at = pointers.get(random.nextInt(pointers.size()));
            mutant = !at.matches() && random.nextInt(5) == 0
                    ? Mutants.without(mutant, at)
                    : Mutants.with(mutant, at, value(random));
        }
        return mutant.toString().getBytes(StandardCharsets.UTF_8);
    }

    private JsonNode value(SplittableRandom random) {
        return switch (random.nextInt(60)) {
            case 0 -> TextNode.valueOf(Bombs.ALL.get(random.nextInt(Bombs.ALL.size())));
            case 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 -> TextNode.valueOf(placement.text());
            case 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 -> tree(placement.term());
            default -> Mutants.VALUES.get(random.nextInt(Mutants.VALUES.size()));
        };
    }

    private static byte[] mangled(byte[] bytes, SplittableRandom random) {
        int from = random.nextInt(bytes.length);
        int length = random.nextInt(Math.min(40, bytes.length - from) + 1);
        var mangled = new ByteArrayOutputStream();
        mangled.write(bytes, 0, from);
        switch (random.nextInt(4)) {
            case 0 -> mangled.write(random.nextInt(256));
            case 1 -> {
                mangled.write(bytes, from, length);
                mangled.write(bytes, from, length);
            }
            case 2 -> from = bytes.length - length;
            default -> {}
        }
        mangled.write(bytes, from + length, bytes.length - from - length);
        return mangled.toByteArray();
    }

    AdmissionEndpoint endpoint() {
        return new AdmissionEndpoint(
                switch (kind) {
                    case POD -> new TargetPodAdmission(this);
                    case MIGRATION -> new MigrationAdmission(this, Permissions.unrestricted());
                });
    }

    @Override
    public Found find(String namespace, String name, String uid) {
        return found;
    }

    @Override
    public Optional<Demands> demands(String namespace, String vmi, NodeSelectorTerm term) {
        return Optional.of(
                new Demands(term, placement.nodeSelector(), placement.affinity(), List.of(), Optional.of("node-1")));
    }

    @Override
    public List<NodeView> nodes() {
        return placement.nodes();
    }

    @Override
    public boolean fieldIsKubeVirts() {
        return false;
    }
}
