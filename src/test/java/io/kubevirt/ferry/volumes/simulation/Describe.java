package io.kubevirt.ferry.volumes.simulation;

import io.kubevirt.ferry.api.Original;
import io.kubevirt.ferry.api.VolumeMigrationStatus;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The status of a VolumeMigration in one line of a trace. */
final class Describe {
    private Describe() {}

    static String status(@Nullable VolumeMigrationStatus status) {
        if (status == null) {
            return "no status";
        }
        var conditions = status.conditions().stream()
                .filter(c -> !c.type().equals("Accepted") && !c.type().equals("Reconciling"))
                .map(c -> c.type() + "=" + c.status() + "/" + c.reason())
                .collect(Collectors.joining(" "));
        return status.run().map(Describe::run).orElse("") + conditions;
    }

    private static String run(Original run) {
        var progress = run.progress();
        return "run " + run.run() + (progress.open() ? " " : " closed ") + progress.step() + " " + progress.verdict()
                + progress.seenGuest().map(guest -> " guest on " + guest).orElse("")
                + (progress.keepSources() ? " keeping sources" : "")
                + (progress.handOverUnseen() ? " hand-over unseen" : "")
                + progress.awaited()
                        .map(waiting -> " " + waiting.reason() + " since " + waiting.since())
                        .orElse("")
                + " '" + progress.reason() + ": " + progress.message() + "' " + run.attempts() + " ";
    }
}
