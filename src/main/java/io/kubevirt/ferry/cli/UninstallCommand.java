package io.kubevirt.ferry.cli;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.kubevirt.ferry.admission.TypedField;
import io.kubevirt.ferry.controller.Refusal;
import io.kubevirt.ferry.manager.Uninstallation;
import java.io.PrintWriter;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ferry uninstall}. */
@Command(
        name = "uninstall",
        mixinStandardHelpOptions = true,
        description =
                "Deletes the webhooks and takes the typed field out of KubeVirt's definition of migrations, as whoever "
                        + "the kubeconfig says. To be run before all else is deleted, with kubectl, Helm or OLM; running it "
                        + "later does no harm, and it may be run again.")
final class UninstallCommand implements Callable<Integer> {
    private static final int FAILED = 1;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--timeout",
            paramLabel = "DURATION",
            description = "Gives up after this time (default: ${DEFAULT-VALUE}).",
            defaultValue = "PT1M")
    private Duration timeout = Duration.ZERO;

    @Override
    public Integer call() throws InterruptedException {
        if (!timeout.isPositive()) {
            throw new ParameterException(spec.commandLine(), "--timeout: want more than PT0S, got " + timeout);
        }
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        try (KubernetesClient client = new KubernetesClientBuilder()
                .withConfig(ManagerCommand.clientConfig())
                .build()) {
            if (new Uninstallation(client, out::println).run(timeout)) {
                out.println(
                        "spec.addedNodeSelectorTerm is out of KubeVirt's definition of migrations, and stays out. Now delete"
                                + " the rest: `kubectl delete -k deploy`, `helm uninstall`, or what it was installed"
                                + " with.");
                return 0;
            }
            err.println("The typed field comes back: something still puts it into CustomResourceDefinition "
                    + TypedField.DEFINITION + ". Stop the manager and run this again.");
        } catch (KubernetesClientException e) {
            err.println(failed(e));
        }
        return FAILED;
    }

    private static String failed(KubernetesClientException e) {
        return switch (e.getCode()) {
            case 0 ->
                "No answer from the API server that the kubeconfig names (KUBECONFIG, or ~/.kube/config): "
                        + Refusal.said(e);
            case HttpURLConnection.HTTP_FORBIDDEN ->
                Refusal.said(e) + "\nNeeded: delete mutatingwebhookconfigurations/kubevirt-ferry; get and patch"
                        + " customresourcedefinitions/" + TypedField.DEFINITION + ".";
            default -> Refusal.said(e);
        };
    }
}
