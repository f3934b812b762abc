package io.kubevirt.ferry.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Admits KubeVirt's CustomResourceDefinition of migrations: what virt-operator writes gets the typed field on its way, so
 * that it need not be put there against virt-operator.
 */
public final class DefinitionAdmission implements Admission {
    private final BooleanSupplier wanted;

    /**
     * @param wanted whether there is to be a typed field
     */
    public DefinitionAdmission(BooleanSupplier wanted) {
        this.wanted = wanted;
    }

    @Override
    public String name() {
        return "definition";
    }

    @Override
    public Verdict judge(Admitted request) {
        JsonNode definition = request.required();
        boolean theOne = Admitted.text(definition, "metadata", "name")
                .filter(TypedField.DEFINITION::equals)
                .isPresent();
        if (!theOne || !wanted.getAsBoolean()) {
            return Verdict.Allowed.silently();
        }
        ArrayNode patch = TypedField.addition(definition).build();
        return patch.isEmpty() ? Verdict.Allowed.silently() : new Verdict.Patched(patch, List.of());
    }
}
