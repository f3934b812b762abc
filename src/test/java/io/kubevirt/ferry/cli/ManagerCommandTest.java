package io.kubevirt.ferry.cli;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.kubevirt.ferry.manager.Settings;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class ManagerCommandTest {
    private static Settings settings(Map<String, String> environment, String... arguments) {
        CommandLine command = new CommandLine(new ManagerCommand())
                .setDefaultValueProvider(new EnvironmentDefaults(environment::get));
        command.parseArgs(arguments);
        return command.<ManagerCommand>getCommand().settings();
    }

    @Test
    void theEnvironmentStandsInForOptionsThatAreLeftOut() {
        Settings settings = settings(
                Map.of("FERRY_WEBHOOK_PORT", "7443", "FERRY_NAMESPACE", "ferry", "FERRY_LOOKUP_DEADLINE", "PT1S"),
                "--namespace=given",
                "--webhook-url=https://10.0.0.1:7443");

        assertThat(settings.webhookPort()).isEqualTo(7443);
        assertThat(settings.namespace()).isEqualTo("given");
        assertThat(settings.lookupDeadline()).isEqualTo(Duration.ofSeconds(1));
        assertThat(settings.webhookUrl()).contains(URI.create("https://10.0.0.1:7443"));
    }

    @Test
    void withoutAnyOptionItRunsAsItIsDeployed() {
        Settings settings = settings(Map.of());

        assertThat(settings.namespace()).isEqualTo("kubevirt-ferry");
        assertThat(settings.webhookUrl()).isEmpty();
        assertThat(settings.identity()).isNotBlank();
    }

    @Test
    void aVariableThatIsSetToNothingIsLeftOut() {
        Settings settings =
                settings(Map.of("FERRY_WEBHOOK_PORT", "", "FERRY_TYPED_FIELD", "", "FERRY_LOOKUP_DEADLINE", " "));

        assertThat(settings)
                .usingRecursiveComparison()
                .ignoringFields("identity")
                .isEqualTo(settings(Map.of()));
        assertThat(settings.typedField()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "'localhost, 10.96.0.1 ,', 'localhost,10.96.0.1'",
        "'*.example.com,.svc', '.example.com,.svc'",
        "'10.0.0.0/8', '10.0.0.0/8'",
    })
    void hostsToPassTheProxyByAreReadAsKubernetesReadsThem(String given, String read) {
        Config config = new ConfigBuilder(Config.empty())
                .withHttpsProxy("http://proxy:3128")
                .build();

        ManagerCommand.passBy(config, given.split(",", -1));

        assertThat(config.getNoProxy()).containsExactly(read.split(","));
        assertThat(config.getHttpsProxy()).isEqualTo("http://proxy:3128");
    }

    @Test
    void aStarPassesTheProxyByForAllHosts() {
        Config config = new ConfigBuilder(Config.empty())
                .withHttpsProxy("http://proxy:3128")
                .build();

        ManagerCommand.passBy(config, "localhost", "*");

        assertThat(config.getHttpsProxy()).isNull();
    }

    @Test
    void aPortThatIsTakenIsNamedInOneLine() throws IOException {
        StringWriter errors = new StringWriter();
        try (ServerSocket taken = new ServerSocket(0)) {
            int code = Ferry.commandLine()
                    .setErr(new PrintWriter(errors))
                    .execute("manager", "--health-port=" + taken.getLocalPort());

            assertThat(code).isEqualTo(CommandLine.ExitCode.SOFTWARE);
            assertThat(errors.toString().lines())
                    .singleElement(as(InstanceOfAssertFactories.STRING))
                    .contains("port " + taken.getLocalPort() + " for health and metrics")
                    .contains("Address already in use");
        }
    }

    @Test
    void aTimeThatIsNoneIsRefusedByUninstallBeforeAnythingIsDeleted() {
        StringWriter errors = new StringWriter();

        assertThat(Ferry.commandLine().setErr(new PrintWriter(errors)).execute("uninstall", "--timeout=PT0S"))
                .isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(errors.toString()).contains("--timeout: want more than PT0S");
    }

    @ParameterizedTest
    @CsvSource({
        "--webhook-port=70000, --webhook-port (FERRY_WEBHOOK_PORT)",
        "--health-port=-1, --health-port (FERRY_HEALTH_PORT)",
        "--webhook-url=http://10.0.0.1, --webhook-url (FERRY_WEBHOOK_URL)",
        "--webhook-url=https://10.0.0.1/path, --webhook-url (FERRY_WEBHOOK_URL)",
        "--webhook-url=somewhere, --webhook-url (FERRY_WEBHOOK_URL)",
        "--webhook-url=mailto:x@y, --webhook-url (FERRY_WEBHOOK_URL)",
        "--admission-deadline=PT40S, --admission-deadline (FERRY_ADMISSION_DEADLINE)",
        "--lookup-deadline=PT6S, --lookup-deadline (FERRY_LOOKUP_DEADLINE)",
        "--lookup-deadline=PT0S, --lookup-deadline (FERRY_LOOKUP_DEADLINE)",
        "--lookup-deadline=soon, --lookup-deadline",
    })
    void aWrongValueIsRefusedWithItsOptionAndWhatIsWanted(String argument, String named) {
        StringWriter errors = new StringWriter();
        CommandLine command = Ferry.commandLine().setErr(new PrintWriter(errors));

        assertThat(command.execute("manager", argument)).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(errors.toString()).contains(named);
    }

    @Test
    void aMistakeIsToldInTwoLinesAndNotBelowTheWholeHelp() {
        StringWriter errors = new StringWriter();
        CommandLine command = Ferry.commandLine().setErr(new PrintWriter(errors));

        assertThat(command.execute("manager", "--webhook-prot=1")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(errors.toString().lines()).first(STRING).isEqualTo("Unknown option: '--webhook-prot=1'");
        assertThat(errors.toString().lines()).last(STRING).isEqualTo("See 'ferry manager --help'.");
        assertThat(errors.toString()).contains("--webhook-port").hasLineCount(3);
    }

    @Test
    void helpNamesEachOption() {
        StringWriter out = new StringWriter();

        assertThat(Ferry.commandLine().setOut(new PrintWriter(out)).execute("manager", "--help"))
                .isZero();

        assertThat(out.toString()).contains("--webhook-url", "--lookup-deadline", "FERRY_WEBHOOK_PORT");
    }
}
