package io.kubevirt.ferry.standin;

import static io.kubevirt.ferry.testbed.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.kubevirt.ferry.standin.Writes.Seen;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import org.awaitility.core.ConditionTimeoutException;

/** Watches a namespace as the recordings were made. */
final class Recorder implements AutoCloseable {

    private static final Kind[] KINDS = {Kind.VM, Kind.VMI, Kind.VMIM, Kind.POD, Kind.EVENT};

    private final List<Seen> seen = new ArrayList<>();
    private final List<Watch> watches = new ArrayList<>();

    Recorder(KubernetesClient client, String namespace) {
        for (Kind kind : KINDS) {
            watches.add(client.genericKubernetesResources(kind.context())
                    .inNamespace(namespace)
                    .watch(new ListOptionsBuilder().withResourceVersion("0").build(), new Watcher<>() {
                        @Override
                        public void eventReceived(Action action, GenericKubernetesResource object) {
                            if (action != Action.BOOKMARK && action != Action.ERROR) {
                                record(action.name(), Item.of(kind, object).tree());
                            }
                        }

                        @Override
                        public void onClose(WatcherException cause) {
                            throw new IllegalStateException(cause);
                        }
                    }));
        }
    }

    private synchronized void record(String event, JsonNode object) {
        seen.add(new Seen(event, object));
    }

    /** In the order in which it happened: each kind has a watch of its own, and one may be behind another. */
    synchronized List<Seen> seen() {
        return seen.stream().sorted(Comparator.comparingLong(Seen::version)).toList();
    }

    /**
     * Waits until the run shows what the recording of this name shows; if it never does, the difference is in the message.
     *
     * @param answers what the API server said to the creations of migrations, if the recording has that
     */
    void assertAsRecorded(String recording, List<String> answers) {
        String recorded = RecordingDigests.print(RecordingDigests.of(recording));
        try {
            eventually().until(() -> written(recording, answers).equals(recorded));
        } catch (ConditionTimeoutException late) {
            assertThat(written(recording, answers).lines())
                    .containsExactlyElementsOf(recorded.lines().toList());
        }
    }

    private String written(String recording, List<String> answers) {
        SortedMap<String, List<String>> writes = RecordingDigests.writes(recording, seen());
        writes.put(RecordingDigests.ANSWERS, answers);
        return RecordingDigests.print(writes);
    }

    @Override
    public void close() {
        watches.forEach(Watch::close);
    }
}
