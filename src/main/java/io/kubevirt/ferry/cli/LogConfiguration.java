package io.kubevirt.ferry.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ConfiguratorRank;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.spi.ContextAwareBase;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * How the manager logs: to standard output, as {@code FERRY_LOG_FORMAT} ({@code text} or {@code json}) and {@code
 * FERRY_LOG_LEVEL} say. It is code, because reading it from XML would be a tenth of the manager's start. A file of Logback's,
 * where the property {@code logback.configurationFile} names one or the class path has one, goes before it.
 */
@ConfiguratorRank(ConfiguratorRank.CUSTOM_HIGH_PRIORITY)
public final class LogConfiguration extends ContextAwareBase implements Configurator {
    /** What names the format. */
    static final String FORMAT = "FERRY_LOG_FORMAT";
    /** What names the level of our own messages. */
    static final String LEVEL = "FERRY_LOG_LEVEL";

    private static final String PATTERN = "%d{yyyy-MM-dd'T'HH:mm:ss.SSSX, UTC} %-5level %logger{0} %msg%n";

    /**
     * Each try of a watch or of an election with its trace: /readyz and the log say in a line what is waited for, /healthz
     * what is dead.
     */
    private static final Map<String, Level> TALKATIVE = Map.of(
            "io.fabric8.kubernetes.client.informers.impl.cache.Reflector", Level.OFF,
            "io.fabric8.kubernetes.client.vertx.VertxWebSocket", Level.OFF,
            "io.fabric8.kubernetes.client.extended.leaderelection.LeaderElector", Level.ERROR);

    private final Map<String, String> environment;

    /** Takes the environment of the process. */
    public LogConfiguration() {
        this(System.getenv());
    }

    LogConfiguration(Map<String, String> environment) {
        this.environment = environment;
    }

    @Override
    public ExecutionStatus configure(LoggerContext context) {
        if (hasFile()) {
            return ExecutionStatus.INVOKE_NEXT_IF_ANY;
        }
        set(context, new ConsoleAppender<>());
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }

    private static boolean hasFile() {
        ClassLoader classes = LogConfiguration.class.getClassLoader();
        return System.getProperty("logback.configurationFile") != null
                || Stream.of("logback-test.xml", "logback.xml").anyMatch(file -> classes.getResource(file) != null);
    }

    void set(LoggerContext context, OutputStreamAppender<ILoggingEvent> appender) {
        appender.setContext(context);
        appender.setEncoder(encoder(context));
        appender.start();
        Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.WARN);
        root.addAppender(appender);
        quieten(context);
        context.getLogger("io.kubevirt.ferry").setLevel(level().orElse(Level.INFO));
        Logger log = context.getLogger(LogConfiguration.class);
        if (level().isEmpty()) {
            log.warn("{} is {}: want TRACE, DEBUG, INFO, WARN, ERROR or OFF; taken as INFO", LEVEL, value(LEVEL, ""));
        }
        if (!isText() && !isJson()) {
            log.warn("{} is {}: want text or json; taken as text", FORMAT, value(FORMAT, ""));
        }
    }

    /** Leaves out what libraries say again and again. */
    public static void quieten(LoggerContext context) {
        TALKATIVE.forEach((name, level) -> context.getLogger(name).setLevel(level));
    }

    private Encoder<ILoggingEvent> encoder(LoggerContext context) {
        Encoder<ILoggingEvent> encoder = isJson() ? new JsonLines() : text();
        encoder.setContext(context);
        encoder.start();
        return encoder;
    }

    private static Encoder<ILoggingEvent> text() {
        var encoder = new PatternLayoutEncoder();
        encoder.setPattern(PATTERN);
        return encoder;
    }

    /** Lines whose message is the text that a person reads, not the pattern and what goes into it. */
    private static final class JsonLines extends JsonEncoder {
        JsonLines() {
            setWithContext(false);
            setWithSequenceNumber(false);
            setWithNanoseconds(false);
            setWithArguments(false);
        }

        @Override
        public byte[] encode(ILoggingEvent event) {
            LoggingEvent said = new LoggingEvent();
            said.setInstant(event.getInstant());
            said.setLevel(event.getLevel());
            said.setThreadName(event.getThreadName());
            said.setLoggerName(event.getLoggerName());
            said.setMDCPropertyMap(event.getMDCPropertyMap());
            said.setMessage(event.getFormattedMessage());
            if (event.getThrowableProxy() instanceof ThrowableProxy thrown) {
                said.setThrowableProxy(thrown);
            }
            return super.encode(said);
        }
    }

    private boolean isJson() {
        return value(FORMAT, "text").equalsIgnoreCase("json");
    }

    private boolean isText() {
        return value(FORMAT, "text").equalsIgnoreCase("text");
    }

    /** Empty if what is given is none. */
    private Optional<Level> level() {
        return Optional.ofNullable(Level.toLevel(value(LEVEL, "INFO"), null));
    }

    private String value(String name, String otherwise) {
        return Optional.ofNullable(environment.get(name))
                .filter(given -> !given.isBlank())
                .map(String::strip)
                .orElse(otherwise);
    }
}
