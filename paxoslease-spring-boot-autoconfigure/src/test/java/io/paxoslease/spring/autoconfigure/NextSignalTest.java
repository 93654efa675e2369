package io.paxoslease.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** With a signal that nothing else sends, and that harms no process. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "it has no such signal")
class NextSignalTest {

    private static final List<String> HARMLESS = List.of("WINCH");

    private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    private @Nullable Object handlerOfJvm;

    @BeforeEach
    void handle() throws Exception {
        Class<?> type = Class.forName("sun.misc.SignalHandler");
        handlerOfJvm = call(
                "handle",
                signal(),
                Proxy.newProxyInstance(
                        getClass().getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                            heard.add("before");
                            return null;
                        }));
    }

    @AfterEach
    void restore() throws Exception {
        call("handle", signal(), handlerOfJvm);
    }

    private static Object signal() throws Exception {
        return Class.forName("sun.misc.Signal").getConstructor(String.class).newInstance("WINCH");
    }

    private static @Nullable Object call(String method, @Nullable Object... arguments) throws Exception {
        for (var each : Class.forName("sun.misc.Signal").getMethods()) {
            if (each.getName().equals(method) && each.getParameterCount() == arguments.length) {
                return each.invoke(null, arguments);
            }
        }
        throw new NoSuchMethodException(method);
    }

    private @Nullable String next() throws InterruptedException {
        return heard.poll(10, TimeUnit.SECONDS);
    }

    @Test
    void theNextSignalIsNoticedAndHandledAsBefore() throws Exception {
        NextSignal.then(() -> heard.add("noticed"), HARMLESS);

        call("raise", signal());
        assertThat(next()).isEqualTo("noticed");
        assertThat(next()).isEqualTo("before");

        call("raise", signal()); // the one after it is not noticed
        assertThat(next()).isEqualTo("before");
    }

    @Test
    void afterItsEndSignalsAreHandledAsBefore() throws Exception {
        NextSignal.then(() -> heard.add("noticed"), HARMLESS).close();

        call("raise", signal());
        assertThat(next()).isEqualTo("before");
    }

    /** The JVM keeps it to itself. */
    @Test
    void aSignalThatCannotBeHandledIsNoError() throws Exception {
        NextSignal.then(() -> heard.add("noticed"), List.of("WINCH", "KILL")).close();

        call("raise", signal());
        assertThat(next()).isEqualTo("before");
    }
}
