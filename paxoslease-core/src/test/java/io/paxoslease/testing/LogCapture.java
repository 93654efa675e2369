package io.paxoslease.testing;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** Collects what one logger and those below it say, down to debug, while it is open. Lines read {@code LEVEL message}. */
public final class LogCapture implements AutoCloseable {

    private final Logger logger;
    private final @Nullable Level before;
    private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

    private LogCapture(String name) {
        logger = (Logger) LoggerFactory.getLogger(name);
        before = logger.getLevel();
        appender.list = new CopyOnWriteArrayList<>();
        appender.start();
        logger.addAppender(appender);
        logger.setAdditive(false);
        logger.setLevel(Level.DEBUG);
    }

    public static LogCapture of(Class<?> type) {
        return new LogCapture(type.getName());
    }

    /** All classes of one running node, and what others in their package say. */
    public static LogCapture ofNode() {
        return new LogCapture("io.paxoslease.node");
    }

    public List<String> lines() {
        return appender.list.stream()
                .map(event -> event.getLevel() + " " + event.getFormattedMessage())
                .toList();
    }

    /** The structured fields of the first line that contains the text. */
    public Map<String, Object> fields(String text) {
        Map<String, Object> fields = new LinkedHashMap<>();
        appender.list.stream()
                .filter(event -> event.getFormattedMessage().contains(text))
                .findFirst()
                .map(ILoggingEvent::getKeyValuePairs)
                .ifPresent(pairs -> pairs.forEach(pair -> fields.put(pair.key, pair.value)));
        return fields;
    }

    /** The lines at warn or above that contain the text. */
    public List<String> warnings(String text) {
        return lines().stream()
                .filter(line -> line.startsWith("WARN") || line.startsWith("ERROR"))
                .filter(line -> line.contains(text))
                .toList();
    }

    public long count(String text) {
        return lines().stream().filter(line -> line.contains(text)).count();
    }

    public void await(String text) {
        awaitCount(text, 1);
    }

    public void awaitCount(String text, long count) {
        try {
            Eventually.until(count + " log lines with '" + text + "'", () -> count(text) >= count);
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + "; there were " + lines(), e);
        }
    }

    @Override
    public void close() {
        logger.setLevel(before);
        logger.setAdditive(true);
        logger.detachAppender(appender);
    }
}
