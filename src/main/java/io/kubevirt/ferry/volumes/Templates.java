package io.kubevirt.ferry.volumes;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kubevirt.ferry.api.Before;
import io.kubevirt.ferry.kubevirt.VirtualMachine;
import io.kubevirt.ferry.volumes.Action.TemplateChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The {@code dataVolumeTemplates} of a VM: dropped with their volumes, put back where they were. */
final class Templates {
    private Templates() {}

    static String name(ObjectNode template) {
        return template.path("metadata").path("name").asText();
    }

    static TemplateChange drop(VirtualMachine vm, Before before) {
        var dropped = before.dataVolumeTemplates().stream()
                .map(template -> name(template.template()))
                .toList();
        var after = vm.getSpec().templates().stream()
                .filter(template -> !dropped.contains(name(template)))
                .toList();
        return change(vm, after);
    }

    static TemplateChange putBack(VirtualMachine vm, Before before) {
        var after = new ArrayList<>(vm.getSpec().templates());
        for (Before.DroppedTemplate dropped : before.dataVolumeTemplates()) {
            after.removeIf(template -> name(template).equals(name(dropped.template())));
            after.add(Math.min(dropped.index(), after.size()), dropped.template());
        }
        return change(vm, after);
    }

    private static TemplateChange change(VirtualMachine vm, List<ObjectNode> after) {
        var before = Optional.ofNullable(vm.getSpec().dataVolumeTemplates());
        return after.equals(vm.getSpec().templates())
                ? new TemplateChange(before, before)
                : new TemplateChange(before, Optional.of(after).filter(templates -> !templates.isEmpty()));
    }
}
