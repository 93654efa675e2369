package io.paxoslease.store;

import io.paxoslease.protocol.storage.Content;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A store of named registers that many clients read and write. Each is <em>regular</em>: a read answers what the last write
 * that was complete when the read began has left, or what a concurrent write is about to leave, and all reads agree with one
 * order of the writes. A register that was never written is empty.
 *
 * <p>Implementations are thread-safe and block; they hold no locks in the store between two calls. A call that fails may have
 * had its effect, and may have it later.
 */
public interface Register {

    /** The longest content, in bytes. */
    int MAX_BYTES = Content.MAX_BYTES;

    /**
     * What is in the register of that name.
     *
     * @param name 1 to 255 bytes of UTF-8, any characters
     * @return owned by the caller; null when it was never written
     * @throws IOException when the store does not answer, or answers nonsense
     */
    byte @Nullable [] read(String name) throws IOException;

    /**
     * Replaces what is in the register, as a whole. Once a call has returned normally it has no further effect: no copy of the request may land later,
     * so a client library must not repeat it by itself.
     *
     * @param content at most {@value #MAX_BYTES} bytes
     * @throws IOException when it is not known to have been written
     */
    void write(String name, byte[] content) throws IOException;

    /** Whether {@link #compareAndSet} is available. */
    default boolean comparesAndSets() {
        return false;
    }

    /**
     * Replaces what is in the register if that is what is expected, in one atomic step.
     *
     * @param expected null: that it was never written
     * @return whether it was replaced
     * @throws IOException when it is not known whether it was replaced
     * @throws UnsupportedOperationException when {@link #comparesAndSets} says so
     */
    default boolean compareAndSet(String name, byte @Nullable [] expected, byte[] content) throws IOException {
        throw new UnsupportedOperationException("This store only reads and writes");
    }

    /** Whether {@link #names} is available. */
    default boolean listsNames() {
        return false;
    }

    /**
     * The names that begin with the prefix, of registers that have been written. Every register whose first write was complete
     * when the call began is among them, unless it was deleted; what is written meanwhile may be.
     *
     * @param prefix empty: all names
     * @return owned by the caller, in no order, each once
     * @throws IOException when the store does not answer, or answers nonsense
     * @throws UnsupportedOperationException when {@link #listsNames} says so
     */
    default List<String> names(String prefix) throws IOException {
        throw new UnsupportedOperationException("This store does not list its names");
    }

    /**
     * Forgets a register that no client is going to write again, to save room; as a hint: a store may keep it.
     *
     * @throws IOException when it is not known to have been deleted
     */
    default void delete(String name) throws IOException {}

    /**
     * Looks whether the store can be used, and prepares it if it is to; called before the first use.
     *
     * @throws IOException saying what is wrong and what to do
     */
    default void check() throws IOException {}

    /**
     * The parts of the store that it does without at present, and what is wrong with each, in words and without secrets; for
     * people. Answers at once, from what is known of the latest accesses, and never throws.
     *
     * @return empty: none that are known of, or the store has no parts
     */
    default Map<String, String> missing() {
        return Map.of();
    }

    /** In words, for messages and the log: what and where it is, without secrets. */
    String describe();
}
