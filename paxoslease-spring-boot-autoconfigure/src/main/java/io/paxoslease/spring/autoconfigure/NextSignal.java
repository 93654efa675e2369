package io.paxoslease.spring.autoconfigure;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices the next signal that asks this process to end, also while the process is ending, when the JVM ignores further ones. Then, and after
 * {@link #close}, signals go to what handled them before. Thread-safe.
 *
 * <p>{@code sun.misc.Signal} is reached by reflection, since compilers warn of its use. Without it, and where the JVM leaves signals alone
 * ({@code -Xrs}), no signal is noticed.
 */
final class NextSignal {

    private static final Logger log = LoggerFactory.getLogger(NextSignal.class);

    /** What {@code kill} and Ctrl+C send. */
    private static final List<String> ENDING = List.of("TERM", "INT");

    private final Map<Object, Object> before = new LinkedHashMap<>();

    private NextSignal() {}

    /** @param action called at once by a thread of the JVM */
    static NextSignal then(Runnable action) {
        return then(action, ENDING);
    }

    static NextSignal then(Runnable action, List<String> names) {
        NextSignal next = new NextSignal();
        try {
            next.handle(names, (proxy, method, arguments) -> {
                if (!method.getName().equals("handle")) { // of Object
                    return method.invoke(next, arguments);
                }
                action.run();
                next.close();
                invoke("raise", arguments[0]);
                return null;
            });
        } catch (ReflectiveOperationException | RuntimeException | LinkageError notPossible) {
            log.debug("This process cannot notice its next signal", notPossible);
        }
        return next;
    }

    private synchronized void handle(List<String> names, InvocationHandler code) throws ReflectiveOperationException {
        Class<?> type = Class.forName("sun.misc.SignalHandler");
        Object handler = Proxy.newProxyInstance(NextSignal.class.getClassLoader(), new Class<?>[] {type}, code);
        for (String name : names) {
            Object signal = signalClass().getConstructor(String.class).newInstance(name);
            before.put(signal, invoke("handle", signal, handler));
        }
    }

    synchronized void close() {
        before.forEach((signal, handler) -> {
            try {
                invoke("handle", signal, handler);
            } catch (ReflectiveOperationException impossible) {
                throw new IllegalStateException(impossible); // it could be set before
            }
        });
        before.clear();
    }

    private static Object invoke(String method, Object... arguments) throws ReflectiveOperationException {
        for (var each : signalClass().getMethods()) {
            if (each.getName().equals(method) && each.getParameterCount() == arguments.length) {
                return each.invoke(null, arguments);
            }
        }
        throw new NoSuchMethodException(method);
    }

    private static Class<?> signalClass() throws ClassNotFoundException {
        return Class.forName("sun.misc.Signal");
    }
}
