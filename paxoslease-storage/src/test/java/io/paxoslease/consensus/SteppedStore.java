package io.paxoslease.consensus;

import io.paxoslease.store.Register;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A store whose every access waits for its turn, and no better than regular: a read beside a write answers the old content or
 * the new one, as is chosen. While it is faulty, accesses fail, and a write that failed may land at any later access.
 */
final class SteppedStore implements Register {

    @SuppressWarnings("ArrayRecordComponent") // the same or not
    private record Pending(String name, byte[] content, boolean late) {
        @Override
        public boolean equals(Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    private static final int ONE_IN = 12;

    private final Map<String, byte[]> contents = new LinkedHashMap<>();
    private final List<Pending> pending = new ArrayList<>();
    private final Turns turns;
    private final boolean compares;
    private final long faultyUntil;

    /** @param faultyUntil so many steps */
    SteppedStore(Turns turns, boolean compares, long faultyUntil) {
        this.turns = turns;
        this.compares = compares;
        this.faultyUntil = faultyUntil;
    }

    private boolean fails() {
        return turns.now() < faultyUntil && turns.choose(ONE_IN) == 1;
    }

    private void turn() throws IOException {
        turns.step();
        for (Pending write : List.copyOf(pending)) {
            if (write.late() && turns.choose(ONE_IN) == 1) {
                pending.remove(write);
                contents.put(write.name(), write.content());
            }
        }
        if (fails()) {
            throw new IOException("no answer");
        }
    }

    @Override
    public byte @Nullable [] read(String name) throws IOException {
        turn();
        List<byte @Nullable []> candidates = new ArrayList<>();
        candidates.add(contents.get(name));
        for (Pending write : pending) {
            if (write.name().equals(name)) {
                candidates.add(write.content());
            }
        }
        return candidates.get(turns.choose(candidates.size()));
    }

    @Override
    public void write(String name, byte[] content) throws IOException {
        turn();
        Pending write = new Pending(name, content.clone(), false);
        pending.add(write);
        turns.step();
        pending.remove(write);
        if (fails()) {
            pending.add(new Pending(name, content.clone(), true));
            throw new IOException("written, or not");
        }
        contents.put(name, write.content());
    }

    @Override
    public boolean comparesAndSets() {
        return compares;
    }

    @Override
    public boolean compareAndSet(String name, byte @Nullable [] expected, byte[] content) throws IOException {
        turn();
        boolean lost = fails() && turns.choose(2) == 0;
        boolean replaces = !lost && Arrays.equals(contents.get(name), expected);
        if (replaces) {
            contents.put(name, content.clone());
        }
        if (lost || fails()) {
            throw new IOException("replaced, or not");
        }
        return replaces;
    }

    @Override
    public boolean listsNames() {
        return true;
    }

    @Override
    public List<String> names(String prefix) throws IOException {
        turn();
        Set<String> names = new LinkedHashSet<>(contents.keySet());
        for (Pending write : pending) {
            if (turns.choose(2) == 1) {
                names.add(write.name());
            }
        }
        return names.stream().filter(name -> name.startsWith(prefix)).toList();
    }

    @Override
    public String describe() {
        return "stepped store";
    }
}
