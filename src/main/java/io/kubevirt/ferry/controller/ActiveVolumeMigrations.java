package io.kubevirt.ferry.controller;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.kubevirt.ferry.admission.VolumeMigrations;
import io.kubevirt.ferry.api.Verdict;
import io.kubevirt.ferry.api.VolumeMigration;
import io.kubevirt.ferry.api.VolumeMigrationStatus;
import java.util.List;
import java.util.Optional;

/**
 * Asks the API server for the VolumeMigrations of the one namespace. It is asked for VMs whose volumes have just changed, and
 * for no others, so that nothing has to be watched, of a kind whose definition may not be there.
 */
public final class ActiveVolumeMigrations implements VolumeMigrations {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final KubernetesClient client;
    private final Deadline deadline;

    public ActiveVolumeMigrations(KubernetesClient client, Deadline deadline) {
        this.client = client;
        this.deadline = deadline;
    }

    @Override
    public Found activeFor(String namespace, String vmiName) {
        Deadline.Outcome<List<VolumeMigration>> outcome = deadline.await(() -> client.resources(VolumeMigration.class)
                .inNamespace(namespace)
                .list()
                .getItems());
        return switch (outcome) {
            case Deadline.Outcome.Answer<List<VolumeMigration>>(var all) ->
                all.orElse(List.of()).stream()
                        .filter(each -> isActive(each, vmiName))
                        .findFirst()
                        .flatMap(active -> active.getSpec().term())
                        .<Found>map(term -> new Found.Term(json(term)))
                        .orElseGet(Found.None::new);
            case Deadline.Outcome.NoAnswer<List<VolumeMigration>>(String why) -> new Found.Unanswered(why);
        };
    }

    /** Whether its run is to go forward. No other run of that VMI does: the next waits until this one has ended. */
    private static boolean isActive(VolumeMigration migration, String vmiName) {
        VolumeMigrationStatus status = migration.status();
        Optional<Verdict> verdict = status.run().map(run -> run.progress().verdict());
        return vmiName.equals(status.virtualMachineInstanceName())
                && verdict.filter(Verdict.Run::equals).isPresent()
                && status.endTimestamp() == null;
    }

    private static String json(NodeSelectorTerm term) {
        try {
            return MAPPER.writeValueAsString(term);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a term that was read from JSON can be written", e);
        }
    }
}
