package io.kubevirt.ferry.admission;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.kubevirt.ferry.patch.JsonPatch;
import io.kubevirt.ferry.placement.FieldError;
import io.kubevirt.ferry.placement.NodeView;
import io.kubevirt.ferry.placement.TermReader;
import io.kubevirt.ferry.placement.TermReading;
import io.kubevirt.ferry.placement.Warnings;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Admits VirtualMachineInstanceMigrations with an added term: checks it as Kubernetes would, and moves the typed field
 * into the annotation, because virt-api refuses a field that it does not know.
 *
 * <p>The text of an annotation is kept as the user wrote it. Whatever a migration was created with stays: an update may
 * repeat the term and nothing else.
 */
public final class MigrationAdmission implements Admission {
    private static final String WAY_OUT = "delete this migration and create another one";

    private final Surroundings surroundings;
    private final Permissions permissions;

    public MigrationAdmission(Surroundings surroundings, Permissions permissions) {
        this.surroundings = surroundings;
        this.permissions = permissions;
    }

    @Override
    public String name() {
        return "migration";
    }

    @Override
    public Verdict judge(Admitted request) {
        JsonNode migration = request.required();
        Optional<String> annotation = TermAnnotation.of(migration);
        Optional<JsonNode> field = Optional.of(migration.at("/spec/" + DirectedMigration.FIELD))
                .filter(node -> !node.isMissingNode() && !surroundings.fieldIsKubeVirts());
        if (field.filter(JsonNode::isNull).isPresent()) {
            return ofNull(request);
        }
        if (annotation.isEmpty() && field.isEmpty()) {
            return Verdict.Allowed.silently();
        }

        List<FieldError> errors = new ArrayList<>();
        Optional<NodeSelectorTerm> annotated =
                annotation.flatMap(text -> valid(TermReader.read(DirectedMigration.ANNOTATION_PATH, text), errors));
        Optional<NodeSelectorTerm> typed =
                field.flatMap(tree -> valid(TermReader.read(DirectedMigration.FIELD_PATH, tree), errors));
        if (annotated.isPresent() && typed.isPresent() && !sameTerm(annotated.get(), typed.get())) {
            errors.add(new FieldError(
                    DirectedMigration.FIELD_PATH,
                    "differs from " + DirectedMigration.ANNOTATION_PATH + ": give the term in one of the two places"));
        }
        if (migration.at("/spec/sendTo").isObject()) {
            errors.add(new FieldError(
                    "spec.sendTo",
                    "the target pod is made where this migration is received: put the term on the migration with"
                            + " spec.receive there"));
        }
        if (request.operation() == Admitted.Operation.UPDATE && typed.isPresent()) {
            unchanged(request.oldObject(), typed.get()).ifPresent(errors::add);
        }
        if (!errors.isEmpty()) {
            return new Verdict.Denied(List.copyOf(errors));
        }
        List<String> warnings = List.of();
        if (request.operation() == Admitted.Operation.CREATE) {
            Optional<FieldError> forbidden = forbidden(request, field.isPresent());
            if (forbidden.isPresent()) {
                return new Verdict.Denied(List.of(forbidden.get()));
            }
            warnings = warnings(request, annotated.or(() -> typed).orElseThrow());
        }
        return field.isPresent()
                ? new Verdict.Patched(moved(migration, annotation, field.get()).build(), warnings)
                : new Verdict.Allowed(warnings);
    }

    /** What a template makes of a value that nobody gave: where a migration begins its writer did not mean anywhere. */
    private static Verdict ofNull(Admitted request) {
        return request.operation() == Admitted.Operation.CREATE
                ? Verdict.Denied.because(
                        DirectedMigration.FIELD_PATH,
                        "is null, with which the VM would go anywhere: give a term, or leave the field out")
                : new Verdict.Patched(
                        JsonPatch.start()
                                .remove("/spec/" + DirectedMigration.FIELD)
                                .build(),
                        List.of());
    }

    private Optional<FieldError> forbidden(Admitted request, boolean typed) {
        String place = typed ? DirectedMigration.FIELD_PATH : DirectedMigration.ANNOTATION_PATH;
        return switch (permissions.mayDirect(request.requester(), request.namespace())) {
            case YES -> Optional.empty();
            case NO ->
                Optional.of(new FieldError(
                        place,
                        "%s may not direct migrations in namespace %s (create %s in kubevirt.io): ask for a RoleBinding to ClusterRole %s there"
                                .formatted(
                                        request.requester().user(),
                                        request.namespace(),
                                        DirectedMigration.VIRTUAL_RESOURCE,
                                        DirectedMigration.CLUSTER_ROLE)));
            case UNKNOWN ->
                Optional.of(new FieldError(
                        place,
                        "the API server could not be asked whether you may direct migrations (the log of kubevirt-ferry says"
                                + " why): try again"));
        };
    }

    private List<String> warnings(Admitted request, NodeSelectorTerm term) {
        List<NodeView> nodes = surroundings.nodes();
        String vmi = request.object().at("/spec/vmiName").asText();
        if (nodes.isEmpty() || !Admitted.isName(vmi) || !Admitted.isName(request.namespace())) {
            return List.of();
        }
        return surroundings
                .demands(request.namespace(), vmi, term)
                .map(demands -> Warnings.of(demands, nodes))
                .orElse(List.of());
    }

    private static Optional<NodeSelectorTerm> valid(TermReading reading, List<FieldError> errors) {
        return switch (reading) {
            case TermReading.Valid(NodeSelectorTerm term) -> Optional.of(term);
            case TermReading.Invalid(List<FieldError> found) -> {
                errors.addAll(found);
                yield Optional.empty();
            }
        };
    }

    private static Optional<FieldError> unchanged(JsonNode before, NodeSelectorTerm typed) {
        Optional<String> text = TermAnnotation.of(before);
        if (text.isEmpty()) {
            return Optional.of(new FieldError(
                    DirectedMigration.FIELD_PATH, "cannot be added to a migration that exists: " + WAY_OUT));
        }
        boolean same = TermReader.read(DirectedMigration.ANNOTATION_PATH, text.get())
                        instanceof TermReading.Valid(NodeSelectorTerm term)
                && sameTerm(term, typed);
        return same
                ? Optional.empty()
                : Optional.of(new FieldError(
                        DirectedMigration.FIELD_PATH, "the term of a migration cannot be changed: " + WAY_OUT));
    }

    /** Equal as read: the reader leaves no list absent. */
    private static boolean sameTerm(NodeSelectorTerm one, NodeSelectorTerm other) {
        return Objects.equals(one.getMatchExpressions(), other.getMatchExpressions())
                && Objects.equals(one.getMatchFields(), other.getMatchFields());
    }

    private static JsonPatch moved(JsonNode migration, Optional<String> annotation, JsonNode field) {
        JsonPatch patch = annotation.isPresent() ? JsonPatch.start() : TermAnnotation.with(migration, field.toString());
        return patch.remove("/spec/" + DirectedMigration.FIELD);
    }
}
