package io.paxoslease.store;

import io.paxoslease.protocol.storage.Content;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A store in the memory of this process, for tests: it answers at once and forgets everything when it is discarded. Thread-safe. */
public final class InMemoryRegister implements Register {

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
