package io.kubevirt.ferry.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.kubevirt.ferry.kubevirt.LauncherPod;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PodOnNodeTest {
    static Stream<BiFunction<LauncherPod, String, String>> sentences() {
        return Stream.of(PodOnNode::admitted, PodOnNode::notAdmitted);
    }

    private static LauncherPod pod(String name, String node) {
        LauncherPod pod = new LauncherPod();
        pod.setMetadata(new ObjectMetaBuilder().withName(name).build());
        pod.setSpec(new LauncherPod.Spec(node, null, Map.of(), List.of(), List.of()));
        return pod;
    }

    @ParameterizedTest
    @MethodSource("sentences")
    void aSentenceIsOfThePodThatItNamesAndOfNoOther(BiFunction<LauncherPod, String, String> sentence) {
        String said = sentence.apply(pod("virt-launcher-db-x", "node-1"), "so be it");

        assertThat(PodOnNode.isOf(said, pod("virt-launcher-db-x", "node-2"))).isTrue();
        assertThat(List.of("virt-launcher-db-xy", "virt-launcher-db-", "launcher-db-x", "node-1"))
                .noneMatch(other -> PodOnNode.isOf(said, pod(other, "node-1")));
    }

    @ParameterizedTest
    @MethodSource("sentences")
    void sentencesOfAnotherPodOrNodeDoNotAgree(BiFunction<LauncherPod, String, String> sentence) {
        String said = sentence.apply(pod("a", "node-1"), "so be it");

        assertThat(PodOnNode.agree(said, said)).isTrue();
        assertThat(PodOnNode.agree(said, sentence.apply(pod("a", "node-2"), "so be it")))
                .isFalse();
        assertThat(PodOnNode.agree(said, sentence.apply(pod("b", "node-1"), "so be it")))
                .isFalse();
    }

    @ParameterizedTest
    @MethodSource("sentences")
    void whatIsSaidByTheWayDoesNotCount(BiFunction<LauncherPod, String, String> sentence) {
        LauncherPod pod = pod("a", "node-1");

        assertThat(PodOnNode.agree(sentence.apply(pod, "so be it; 1 node"), sentence.apply(pod, "so be it; 2 nodes")))
                .isTrue();
    }

    @ParameterizedTest
    @MethodSource("sentences")
    void aPodThatCarriesTheTermAndOneThatGotPastItAreToldApart(BiFunction<LauncherPod, String, String> sentence) {
        LauncherPod pod = pod("a", "node-1");
        long same = sentences()
                .filter(other -> PodOnNode.agree(sentence.apply(pod, "so be it"), other.apply(pod, "so be it")))
                .count();

        assertThat(same).isEqualTo(1);
    }
}
