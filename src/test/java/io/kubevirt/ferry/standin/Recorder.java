package io.kubevirt.ferry.standin;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.kubevirt.ferry.standin.Writes.Seen;
import java.util.ArrayList;
import java.util.List;

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

    synchronized List<Seen> seen() {
        return List.copyOf(seen);
    }

    @Override
    public void close() {
        watches.forEach(Watch::close);
    }
}
