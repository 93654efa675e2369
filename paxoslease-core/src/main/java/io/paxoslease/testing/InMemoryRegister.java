package io.paxoslease.testing;

import io.paxoslease.protocol.storage.Content;
import io.paxoslease.store.Register;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The store of an in-memory cell. Thread-safe. */
final class InMemoryRegister implements Register {

    private final Map<String, Content> contents = new ConcurrentHashMap<>();

    @Override
    public byte @Nullable [] read(String name) {
        Content content = contents.get(name);
        return content == null ? null : content.bytes();
    }

    @Override
    public void write(String name, byte[] content) {
        contents.put(name, Content.of(content));
    }

    @Override
    public boolean comparesAndSets() {
        return true;
    }

    @Override
    public boolean compareAndSet(String name, byte @Nullable [] expected, byte[] content) {
        Content fresh = Content.of(content);
        return expected == null
                ? contents.putIfAbsent(name, fresh) == null
                : contents.replace(name, Content.of(expected), fresh);
    }

    @Override
    public String describe() {
        return "a store in memory";
    }
}
