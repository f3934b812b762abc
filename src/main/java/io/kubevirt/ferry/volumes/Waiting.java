package io.kubevirt.ferry.volumes;

import io.kubevirt.ferry.volumes.Next.Situation;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A VolumeMigration that has not started: nothing is touched until every check holds. */
record Waiting() {

    Decision decide(Observation seen, Settings settings, Instant now) {
        var migration = seen.migration();
        if (seen.usage().isEmpty()) {
            return new Decision(migration.status(), Optional.empty(), Optional.of(Duration.ZERO));
        }
        var subject = new Subject(seen, seen.usage().get());
        boolean changed = TakenOver.changed(subject);
        var findings = Checks.findings(Checks.wanted(subject), subject);
        if (findings.isEmpty() && (changed || !migration.getSpec().manual())) {
            return start(subject, changed, settings, now);
        }
        var situation = findings.isEmpty()
                ? new Situation(Reason.WaitingForUser, Words.change(subject.moves(), dropsTemplates(subject)))
                : situation(findings);
        var status = Report.ofWaiting(seen, findings, situation, now);
        var again = Optional.of(settings.poll());
        var letGo = Decider.letGo(migration, status);
        return new Decision(status, letGo.action(), again);
    }

    private static Decision start(Subject subject, boolean changed, Settings settings, Instant now) {
        var migration = subject.migration();
        var situation = new Situation(Reason.UpdatingVirtualMachine, "Starting");
        if (!Decider.finalizer(migration)) {
            return new Decision(
                    Report.ofWaiting(subject.seen(), List.of(), situation, now),
                    Optional.of(Decider.addFinalizer(migration)),
                    Optional.of(Duration.ZERO));
        }
        int run = Decider.nextRun(migration.status().run());
        var record = changed ? Start.recordTakenOver(subject, run) : Start.record(subject, run);
        var view = View.of(subject.seen(), record, settings, now);
        return new Decision(
                Report.of(view, Next.remember(record, situation.reason(), situation.message())),
                Optional.empty(),
                Optional.of(Duration.ZERO));
    }

    /** What any rejection says comes before what only has to be waited for. */
    private static Situation situation(List<Finding> findings) {
        var rejected = findings.stream().filter(Finding::rejects).toList();
        return rejected.isEmpty()
                ? new Situation(findings.getFirst().reason(), sentence(findings))
                : new Situation(Reason.VolumesRejected, sentence(rejected));
    }

    private static String sentence(List<Finding> findings) {
        var messages = findings.stream().map(Finding::message).distinct().toList();
        return messages.getFirst() + (messages.size() > 1 ? " (and " + (messages.size() - 1) + " more)" : "");
    }

    private static boolean dropsTemplates(Subject subject) {
        return subject.machine().orElseThrow().getSpec().templates().stream()
                .map(Templates::name)
                .anyMatch(subject.sources()::contains);
    }
}
