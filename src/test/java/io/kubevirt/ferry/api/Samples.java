package io.kubevirt.ferry.api;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kubevirt.ferry.api.Before.DroppedTemplate;
import io.kubevirt.ferry.api.Progress.Guest;
import io.kubevirt.ferry.api.Progress.Step;
import io.kubevirt.ferry.api.Progress.Waiting;
import io.kubevirt.ferry.api.VolumeMigrationState.State;
import java.util.List;

/** Statuses with something in every field. */
final class Samples {
    private Samples() {}

    static VolumeMigrationStatus status() {
        var before = new Before(
                List.of(volume("root", "a")),
                List.of(new DroppedTemplate(1, volume("template", "t"))),
                List.of(new Before.Claim("a", "uid-of-a")),
                "");
        var progress = new Progress(
                true,
                Step.Changed,
                Verdict.RollBack,
                "Cancelled",
                "words",
                Guest.Sources,
                true,
                true,
                new Waiting("Cancelled", "2026-01-01T00:00:00.123Z"));
        var attempts = new Attempts("last", List.of("b"), "c", List.of("f"), "h");
        return new VolumeMigrationStatus(
                1L,
                "vm",
                "vmi",
                "vmim",
                "node-1",
                "node-2",
                "2026-01-01T00:00:00Z",
                "2026-01-01T00:00:01Z",
                2,
                List.of(new VolumeMigrationState(
                        "a", "b", ReclaimPolicy.Retain, "root", State.Rejected, "Lun", "words")),
                new Original("vm-uid", "vmi-uid", 3, before, progress, attempts),
                List.of(new VolumeMigrationCondition(
                        "Ready", "False", 1, "2026-01-01T00:00:00Z", "RollingBack", "words")));
    }

    private static ObjectNode volume(String name, String claim) {
        var json = JsonNodeFactory.instance.objectNode().put("name", name);
        json.putObject("persistentVolumeClaim").put("claimName", claim).put("priority", 7);
        return json;
    }
}
