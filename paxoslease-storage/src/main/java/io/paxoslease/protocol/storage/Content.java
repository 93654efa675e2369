package io.paxoslease.protocol.storage;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** What is in a register: bytes, compared by value. Immutable. */
public final class Content {

    /** The longest content of a register, in bytes. */
    public static final int MAX_BYTES = 4_096;

    private final byte[] bytes;

    private Content(byte[] bytes) {
        this.bytes = bytes;
    }

    /** A copy of these bytes. */
    public static Content of(byte[] bytes) {
        return new Content(bytes.clone());
    }

    static Content of(String text) {
        return new Content(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Owned by the caller. */
    public byte[] bytes() {
        return bytes.clone();
    }

    int length() {
        return bytes.length;
    }

    String text() {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Content content && Arrays.equals(bytes, content.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return text();
    }
}
