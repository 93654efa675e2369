package io.paxoslease.store;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Another store without what it can do beyond reading and writing. */
record PlainRegister(Register store) implements Register {

    @Override
    public byte @Nullable [] read(String name) throws IOException {
        return store.read(name);
    }

    @Override
    public void write(String name, byte[] content) throws IOException {
        store.write(name, content);
    }

    @Override
    public String describe() {
        return store.describe();
    }
}
