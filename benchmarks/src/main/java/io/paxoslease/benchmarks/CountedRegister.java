package io.paxoslease.benchmarks;

import io.paxoslease.store.Register;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import org.jspecify.annotations.Nullable;

/**
 * Counts and times one client's accesses to a register: every call that names a register. A proxy, which passes on whatever
 * methods a register has. Thread-safe.
 */
final class CountedRegister implements InvocationHandler {

    /**
     * What has been asked of the register so far.
     *
     * @param begun accesses
     * @param ended accesses
     * @param nanos the sum of the times that the ended ones took
     */
    record Accesses(long begun, long ended, long nanos) {

        Accesses plus(Accesses other) {
            return new Accesses(begun + other.begun, ended + other.ended, nanos + other.nanos);
        }

        Accesses since(Accesses before) {
            return new Accesses(begun - before.begun, ended - before.ended, nanos - before.nanos);
        }
    }

    private final Register register;
    private final Set<String> written = new ConcurrentSkipListSet<>();
    private Accesses accesses = new Accesses(0, 0, 0);

    CountedRegister(Register register) {
        this.register = register;
    }

    /** The register that the client uses. */
    Register counted() {
        return (Register)
                Proxy.newProxyInstance(Register.class.getClassLoader(), new Class<?>[] {Register.class}, this);
    }

    /** The names of the registers that were written. */
    Set<String> written() {
        return written;
    }

    synchronized Accesses accesses() {
        return accesses;
    }

    private synchronized void add(Accesses more) {
        accesses = accesses.plus(more);
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] args) throws Throwable {
        if (args == null || !(args[0] instanceof String name)) {
            return call(method, args);
        }
        if (args.length > 1) {
            written.add(name);
        }
        add(new Accesses(1, 0, 0));
        long begin = System.nanoTime();
        try {
            return call(method, args);
        } finally {
            add(new Accesses(0, 1, System.nanoTime() - begin));
        }
    }

    private @Nullable Object call(Method method, Object @Nullable [] args) throws Throwable {
        try {
            return method.invoke(register, args);
        } catch (InvocationTargetException e) {
            throw Objects.requireNonNullElse(e.getCause(), e);
        }
    }
}
