package io.paxoslease.spring.lock;

import io.paxoslease.store.Register;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A register that can be made unreachable. */
final class StoreOutage implements Register {

    private final Register register;
    private volatile boolean unreachable;

    StoreOutage(Register register) {
        this.register = register;
    }

    /** Until it is closed. */
    AutoCloseable begin() {
        unreachable = true;
        return () -> unreachable = false;
    }

    private Register reached() throws IOException {
        if (unreachable) {
            throw new IOException("the store does not answer");
        }
        return register;
    }

    @Override
    public byte @Nullable [] read(String name) throws IOException {
        return reached().read(name);
    }

    @Override
    public void write(String name, byte[] content) throws IOException {
        reached().write(name, content);
    }

    @Override
    public boolean comparesAndSets() {
        return register.comparesAndSets();
    }

    @Override
    public boolean compareAndSet(String name, byte @Nullable [] expected, byte[] content) throws IOException {
        return reached().compareAndSet(name, expected, content);
    }

    @Override
    public void check() throws IOException {
        reached().check();
    }

    @Override
    public String describe() {
        return register.describe();
    }
}
