package io.kubevirt.ferry.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.OutputStreamAppender;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class LogConfigurationTest {
    private static final String OURS = "io.kubevirt.ferry.manager.Manager";

    @Test
    void logbackFindsIt() {
        assertThat(ServiceLoader.load(Configurator.class))
                .anySatisfy(configurator -> assertThat(configurator).isInstanceOf(LogConfiguration.class));
    }

    @Test
    void aFileOfLogbacksGoesBeforeIt() {
        // The class path of the tests has one.
        assertThat(new LogConfiguration(Map.of()).configure(new LoggerContext()))
                .isEqualTo(Configurator.ExecutionStatus.INVOKE_NEXT_IF_ANY);
    }

    @Test
    void aLineOfTextHasTimeLevelClassAndMessage() {
        assertThat(printed(Map.of(), log -> log.getLogger(OURS).info("ready")))
                .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z INFO  Manager ready\n");
    }

    @Test
    void jsonIsAnObjectPerLineWithTheMessageAsItIsRead() throws Exception {
        String line = printed(Map.of("FERRY_LOG_FORMAT", "json"), log -> {
            log.getLogger(OURS).warn("{} of \"{}\" is wrong", "half", "db", new IOException("broken"));
        });

        JsonNode object = new ObjectMapper().readTree(line);
        assertThat(object.path("level").asText()).isEqualTo("WARN");
        assertThat(object.path("loggerName").asText()).isEqualTo(OURS);
        assertThat(object.path("message").asText()).isEqualTo("half of \"db\" is wrong");
        assertThat(object.at("/throwable/message").asText()).isEqualTo("broken");
        assertThat(object.path("timestamp").asLong()).isPositive();
        assertThat(line.lines()).hasSize(1);
    }

    @Test
    void othersAreHeardFromWarningOn() {
        assertThat(printed(Map.of(), log -> {
                    log.getLogger("io.vertx.Anything").info("chatter");
                    log.getLogger("io.vertx.Anything").warn("trouble");
                }))
                .doesNotContain("chatter")
                .contains("trouble");
    }

    @ParameterizedTest
    @CsvSource({"DEBUG, true, true", "debug, true, true", "INFO, false, true", "' ', false, true", "ERROR, false, false"
    })
    void theLevelIsThatOfOurOwnMessages(String level, boolean debug, boolean info) {
        String printed = printed(Map.of("FERRY_LOG_LEVEL", level), log -> {
            log.getLogger(OURS).debug("a detail");
            log.getLogger(OURS).info("a fact");
        });

        assertThat(printed.contains("a detail")).isEqualTo(debug);
        assertThat(printed.contains("a fact")).isEqualTo(info);
    }

    @Test
    void whatIsNoLevelAndNoFormatIsSaidAndLogsAllTheSame() {
        String printed = printed(
                Map.of("FERRY_LOG_LEVEL", "LOUD", "FERRY_LOG_FORMAT", "xml"),
                log -> log.getLogger(OURS).info("ready"));

        assertThat(printed)
                .contains("FERRY_LOG_LEVEL is LOUD: want TRACE, DEBUG, INFO, WARN, ERROR or OFF; taken as INFO")
                .contains("FERRY_LOG_FORMAT is xml: want text or json; taken as text")
                .contains("ready");
    }

    private static String printed(Map<String, String> environment, Consumer<LoggerContext> messages) {
        var printed = new ByteArrayOutputStream();
        var appender = new OutputStreamAppender<ILoggingEvent>();
        appender.setOutputStream(printed);
        var context = new LoggerContext();
        context.setMDCAdapter(new LogbackMDCAdapter());
        new LogConfiguration(environment).set(context, appender);
        messages.accept(context);
        context.stop();
        return printed.toString(UTF_8);
    }
}
