package io.kubevirt.ferry.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Taint;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeViewTest {

    @Test
    void aNodeAsItIs() {
        Node node = new NodeBuilder()
                .withNewMetadata()
                .withName("node-1")
                .addToLabels("rack", "r7")
                .endMetadata()
                .withNewSpec()
                .withUnschedulable(true)
                .addNewTaint("NoSchedule", "gpu", null, "true")
                .endSpec()
                .withNewStatus()
                .addNewCondition()
                .withType("MemoryPressure")
                .withStatus("False")
                .endCondition()
                .addNewCondition()
                .withType("Ready")
                .withStatus("True")
                .endCondition()
                .endStatus()
                .build();
        assertThat(NodeView.of(node))
                .isEqualTo(new NodeView(
                        "node-1",
                        Map.of("rack", "r7"),
                        List.of(new Taint("NoSchedule", "gpu", null, "true")),
                        true,
                        true));
    }

    @Test
    void aNodeOfWhichNothingIsKnownIsNotReady() {
        Node node = new NodeBuilder()
                .withNewMetadata()
                .withName("node-1")
                .endMetadata()
                .build();
        assertThat(NodeView.of(node)).isEqualTo(new NodeView("node-1", Map.of(), List.of(), false, false));
    }

    @ParameterizedTest
    @CsvSource({"Ready,True,true", "Ready,False,false", "Ready,Unknown,false", "DiskPressure,True,false"})
    void readyIsWhoSaysSo(String type, String status, boolean ready) {
        Node node = new NodeBuilder()
                .withNewMetadata()
                .withName("node-1")
                .endMetadata()
                .withNewStatus()
                .addNewCondition()
                .withType(type)
                .withStatus(status)
                .endCondition()
                .endStatus()
                .build();
        assertThat(NodeView.of(node).ready()).isEqualTo(ready);
    }
}
