package io.kubevirt.ferry.volumes;

import static io.kubevirt.ferry.volumes.Scene.volume;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.kubevirt.ferry.api.LeftOutPolicy;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstance;
import io.kubevirt.ferry.kubevirt.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Which volumes may stay where they are while the others move. */
class LeftOutTest {

    static Stream<Arguments> volumesBesideThoseThatMove() {
        return Stream.of(
                arguments("a claim of many nodes", volume("x", "left"), "ReadWriteMany", "add it", "fine"),
                arguments(
                        "a claim of one node", volume("x", "left"), "ReadWriteOnce", "one node only", "one node only"),
                arguments(
                        "a claim of one pod",
                        volume("x", "left"),
                        "ReadWriteOncePod",
                        "one node only",
                        "one node only"),
                arguments(
                        "a claim that is only read",
                        volume("x", "left"),
                        "ReadOnlyMany",
                        "one node only",
                        "one node only"),
                arguments("a DataVolume", Scene.dataVolume("x", "left"), "ReadWriteMany", "add it", "fine"),
                arguments("a memory dump on many nodes", dump(), "ReadWriteMany", "take it off", "fine"),
                arguments("a memory dump on one node", dump(), "ReadWriteOnce", "take it off", "take it off"),
                arguments("the base of an ephemeral disk", ephemeral(), "ReadWriteOnce", "fine", "fine"),
                arguments("a cloud-init disk", plain(), "", "fine", "fine"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("volumesBesideThoseThatMove")
    void mayBeLeftOut(String what, Volume volume, String accessMode, String byDefault, String accepted) {
        assertThat(said(LeftOutPolicy.Reject, volume, accessMode)).as(what).contains(byDefault);
        assertThat(said(LeftOutPolicy.Accept, volume, accessMode)).as(what).contains(accepted);
    }

    private static String said(LeftOutPolicy policy, Volume volume, String accessMode) {
        var scene = new Scene().with(s -> {
            s.leftOut = policy;
            s.machineVolumes = and(s.machineVolumes, volume);
            s.instanceVolumes = s.machineVolumes;
            s.volumeStatus = List.of(status(volume.name(), accessMode));
        });
        var findings = Checks.findings(Checks.BEFORE_CHANGE, scene.subject());
        assertThat(findings)
                .allMatch(finding -> finding.reason() == Reason.ClaimLeftOut)
                .allMatch(finding -> finding.message().contains("x on left"));
        return findings.isEmpty() ? "fine" : findings.getFirst().message();
    }

    /** KubeVirt lists the claim on which it keeps TPM and UEFI variables as a volume of the guest, and moves it by itself. */
    @Test
    void theClaimForTheStateOfTheVmItselfIsNotLeftOut() {
        var scene =
                new Scene().with(s -> s.volumeStatus = List.of(status("persistent-state-for-db-x7", "ReadWriteOnce")));
        assertThat(Checks.findings(Checks.BEFORE_CHANGE, scene.subject())).isEmpty();
    }

    /** KubeVirt refuses by what the guest has, not by what the VM names. */
    @Test
    void aVolumeThatIsPluggedIntoTheGuestAloneIsLeftOut() {
        var scene = new Scene().with(s -> {
            s.instanceVolumes = and(s.instanceVolumes, volume("plugged", "left"));
            s.volumeStatus = List.of(status("plugged", "ReadWriteOnce"));
        });
        assertThat(Checks.findings(Checks.BEFORE_CHANGE, scene.subject()))
                .extracting(Finding::reason)
                .contains(Reason.ClaimLeftOut);
    }

    private static VirtualMachineInstance.VolumeStatus status(String volume, String accessMode) {
        return new VirtualMachineInstance.VolumeStatus(
                volume,
                accessMode.isEmpty() ? null : new VirtualMachineInstance.ClaimInfo("left", List.of(accessMode)));
    }

    private static Volume dump() {
        var json = JsonNodeFactory.instance.objectNode().put("name", "x");
        json.putObject("memoryDump").put("claimName", "left").put("hotpluggable", true);
        return new Volume(json);
    }

    private static Volume ephemeral() {
        var json = JsonNodeFactory.instance.objectNode().put("name", "x");
        json.putObject("ephemeral").putObject("persistentVolumeClaim").put("claimName", "left");
        return new Volume(json);
    }

    private static Volume plain() {
        var json = JsonNodeFactory.instance.objectNode().put("name", "x");
        json.putObject("cloudInitNoCloud").put("userData", "#cloud-config");
        return new Volume(json);
    }

    private static List<Volume> and(List<Volume> some, Volume more) {
        var all = new ArrayList<>(some);
        all.add(more);
        return all;
    }
}
