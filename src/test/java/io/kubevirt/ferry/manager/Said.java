package io.kubevirt.ferry.manager;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.kubevirt.ferry.cli.LogConfiguration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.LoggerFactory;

/** What a manager in this JVM, and the libraries that it stands on, log from now on, at the levels of the product. */
final class Said implements AutoCloseable {
    private static final List<String> ITS = List.of(
            "io.kubevirt.ferry.manager",
            "io.kubevirt.ferry.controller",
            "io.kubevirt.ferry.admission",
            "io.fabric8",
            "io.javaoperatorsdk",
            "io.vertx",
            "io.netty");

    private final Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
    private final ListAppender<ILoggingEvent> events = new ListAppender<>();

    Said() {
        LogConfiguration.quieten(root.getLoggerContext());
        events.start();
        root.addAppender(events);
    }

    private Stream<ILoggingEvent> its() {
        return List.copyOf(events.list).stream()
                .filter(event -> ITS.stream().anyMatch(event.getLoggerName()::startsWith));
    }

    /** The lines, without their traces. */
    List<String> lines() {
        return its().map(ILoggingEvent::getFormattedMessage).toList();
    }

    /** How often each warning or error was given, whatever it was about. */
    Map<String, Long> complaints() {
        return its().filter(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
                .map(ILoggingEvent::getMessage)
                .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
    }

    @Override
    public void close() {
        root.detachAppender(events);
        events.stop();
    }
}
