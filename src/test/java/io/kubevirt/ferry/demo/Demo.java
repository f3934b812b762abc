package io.kubevirt.ferry.demo;

import io.kubevirt.ferry.standin.VirtualMachines.VirtualMachine;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.slf4j.LoggerFactory;

/**
 * Shows what directed migration does, with the commands an admin would type.
 *
 * <p>Ends with 0 if everything came out as it says, else with 1. With {@code --keep} the cluster stays until Ctrl-C.
 */
public final class Demo {
    private static final Path FOLDER = Path.of("target/demo").toAbsolutePath();
    private static final Path KUBECONFIG = FOLDER.resolve("kubeconfig");
    private static final Path BIN = FOLDER.resolve("bin");
    private static final Path LOG = FOLDER.resolve("demo.log");

    private final Terminal terminal;
    private final Stage stage;

    private Demo(Terminal terminal, Stage stage) {
        this.terminal = terminal;
        this.stage = stage;
    }

    /**
     * Gives the show; the process ends with it.
     *
     * @param arguments {@code --keep}, or none
     */
    public static void main(String... arguments) {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        try {
            prepareFolder();
            show(out, List.of(arguments).contains("--keep"));
        } catch (DemoException e) {
            out.println("\nFAILED: " + e.getMessage() + "\nLogs: " + FOLDER);
            System.exit(1);
        } catch (RuntimeException | InterruptedException e) {
            LoggerFactory.getLogger(Demo.class).error("the demo failed", e);
            out.println("\nFAILED: " + e.getMessage() + "\nMore in " + LOG);
            System.exit(1);
        }
    }

    private static void show(PrintStream out, boolean keep) throws InterruptedException {
        Terminal terminal = new Terminal(out, environment());
        terminal.note("Starting Kubernetes: etcd, API server, scheduler and controller manager, on this machine");
        try (Stage stage = Stage.open()) {
            Runtime.getRuntime().addShutdownHook(new Thread(stage::close, "shutdown"));
            stage.kubeconfig(KUBECONFIG);
            new Demo(terminal, stage).play();
            if (keep) {
                sayHowToPlay(terminal);
                new CountDownLatch(1).await();
            }
        }
        terminal.say(
                "Next: make demo KEEP=1 leaves it running for you to play with; README.md says how to install it.");
    }

    private void play() {
        terminal.note("Starting KubeVirt, played by a stand-in, with four nodes and two VMs on node-1");
        stage.kubeVirt();
        VirtualMachine db = stage.db();
        VirtualMachine web = stage.web();
        stage.moreNodes();
        terminal.note("Starting the operator as deploy/ has it; its log is target/demo/manager.log");
        stage.operator(FOLDER);
        terminal.note("Ready");
        terminal.run("kubectl get nodes -L rack,disk");
        terminal.run("kubectl get vmi");

        toANode(db);
        byLabel(web);
        typedField(db);
        impossible(web);
        untouched();
        terminal.headline("Everything came out as it says.");
    }

    private void toANode(VirtualMachine db) {
        terminal.headline("1. The VM db is to go to node-3");
        terminal.run("cat deploy/samples/to-a-node.yaml");
        terminal.run("kubectl apply -f deploy/samples/to-a-node.yaml");
        terminal.run("kubectl wait vmim/db-to-node-3 --for=jsonpath='{.status.phase}'=Succeeded --timeout=60s");
        terminal.run("kubectl get vmi db");
        isOn(db, "node-3", "where the term says");
    }

    private void byLabel(VirtualMachine web) {
        terminal.headline("2. The VM web is to go to a node with an SSD; its owner lets it run in rack r1 only");
        terminal.run("kubectl get vm web -o jsonpath='{.spec.template.spec.affinity.nodeAffinity}'");
        terminal.run("sed -n '/annotations/,$p' deploy/samples/by-label.yaml");
        terminal.say("With a slip of the pen first, the operator \"in\" for \"In\":");
        String refusal = terminal.refused(
                "sed 's/operator: In/operator: in/' deploy/samples/by-label.yaml | kubectl apply -f -");
        contains(refusal, "matchExpressions[0].operator", "refused, with the field that is wrong");
        terminal.run("kubectl apply -f deploy/samples/by-label.yaml");
        terminal.run("kubectl wait vmim/web-to-ssd --for=jsonpath='{.status.phase}'=Succeeded --timeout=60s");
        terminal.run("kubectl get vmi web");
        isOn(web, "node-2", "the one node with an SSD in rack r1");
    }

    private void typedField(VirtualMachine db) {
        terminal.headline("3. The VM db is to go back to rack r1, but not to a node with an SSD; in the typed field");
        terminal.run("sed -n '/^spec/,$p' deploy/samples/typed-field.yaml");
        terminal.run("kubectl apply -f deploy/samples/typed-field.yaml");
        terminal.run("kubectl wait vmim/db-to-r1 --for=jsonpath='{.status.phase}'=Succeeded --timeout=60s");
        terminal.run("kubectl get vmi db");
        isOn(db, "node-1", "the one node in rack r1 without an SSD");
    }

    private void impossible(VirtualMachine web) {
        terminal.headline(
                "4. The VM web is to go to node-4, which is in rack r2: this term and its owner's cannot both hold");
        String warning = terminal.run("kubectl apply -f deploy/samples/impossible.yaml");
        contains(warning, "Warning: ", "it warns at once, and lets you");
        terminal.run("kubectl wait vmim/web-to-node-4 --for=jsonpath='{.status.phase}'=Failed --timeout=60s");
        String why = terminal.run("kubectl get vmim web-to-node-4"
                + " -o jsonpath='{.status.conditions[?(@.type==\"TargetPlacement\")].message}'");
        contains(why, "node-4 does not match the VM's node affinity", "the migration says why");
        terminal.run("kubectl get vmi web");
        isOn(web, "node-2", "where it was");
    }

    private void untouched() {
        terminal.headline("5. What is left behind: the migrations, and VMs that nobody edited (generation 1)");
        terminal.run("kubectl get vmim");
        String generations =
                terminal.run("kubectl get vm -o custom-columns=NAME:.metadata.name,GENERATION:.metadata.generation");
        if (!generations.matches("(?s)\\S+ +\\S+\\s+db +1\\s+web +1\\s+")) {
            throw new DemoException("the VMs db and web were to have generation 1");
        }
    }

    private void isOn(VirtualMachine vm, String node, String why) {
        if (!vm.node().equals(node)) {
            throw new DemoException(vm.name() + " was to be on " + node + ", " + why + "; it is on " + vm.node());
        }
        terminal.held(vm.name() + " is on " + node + ", " + why);
    }

    private void contains(String output, String expected, String why) {
        if (!output.contains(expected)) {
            throw new DemoException("the answer was to contain: " + expected);
        }
        terminal.held(why);
    }

    private static void sayHowToPlay(Terminal terminal) {
        terminal.say("""

                It stays until you press Ctrl-C. In another terminal, in this folder:
                  export KUBECONFIG=%s
                  export PATH=$PATH:%s     # brings a kubectl, for a machine without one
                  kubectl delete vmim --all
                  sed s/node-3/node-4/ deploy/samples/to-a-node.yaml | kubectl apply -f -
                  kubectl get vmi,vmim
                """.formatted(KUBECONFIG, BIN).stripTrailing());
    }

    /** Where kubectl is the one of the control plane's release, and knows nothing of this user's own clusters. */
    private static Map<String, String> environment() {
        return Map.of(
                "PATH",
                BIN + ":" + System.getenv("PATH"),
                "KUBECONFIG",
                KUBECONFIG.toString(),
                "KUBECACHEDIR",
                FOLDER.resolve("cache").toString(),
                "KUBERC",
                "off");
    }

    private static void prepareFolder() {
        try {
            Files.createDirectories(BIN);
            Path testbed = Path.of("target/testbed/testbed").toAbsolutePath();
            Path kubectl =
                    Files.writeString(BIN.resolve("kubectl"), "#!/bin/sh\nexec '" + testbed + "' kubectl \"$@\"\n");
            Files.setPosixFilePermissions(kubectl, PosixFilePermissions.fromString("rwxr-xr-x"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
