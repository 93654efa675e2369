package io.paxoslease.testing;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.slf4j.LoggerFactory;

/** Throws an Error into the thread that logs certain lines: a way to plant one in the middle of code that calls nothing else. */
public final class FailingAppender extends AppenderBase<ILoggingEvent> implements AutoCloseable {

    private final Logger logger;
    private final Predicate<String> lines;
    private final AtomicInteger failures = new AtomicInteger();

    private FailingAppender(Logger logger, Predicate<String> lines) {
        this.logger = logger;
        this.lines = lines;
    }

    public static FailingAppender on(Class<?> type, Predicate<String> lines) {
        return on(type.getName(), lines);
    }

    /** On the logger of {@link LogCapture#ofNode()}, which hears the line first. */
    public static FailingAppender onNode(Predicate<String> lines) {
        return on("io.paxoslease.node", lines);
    }

    private static FailingAppender on(String name, Predicate<String> lines) {
        Logger logger = (Logger) LoggerFactory.getLogger(name);
        FailingAppender appender = new FailingAppender(logger, lines);
        appender.start();
        logger.addAppender(appender);
        return appender;
    }

    @Override
    protected void append(ILoggingEvent event) {
        if (lines.test(event.getFormattedMessage())) {
            failures.incrementAndGet();
            throw new OutOfMemoryError("planted");
        }
    }

    public int failures() {
        return failures.get();
    }

    @Override
    public void close() {
        logger.detachAppender(this);
    }
}
