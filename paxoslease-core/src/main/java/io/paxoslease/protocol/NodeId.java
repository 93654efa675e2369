package io.paxoslease.protocol;

import java.nio.charset.StandardCharsets;

/**
 * The unique name of a node in its cell. It names acceptors and addresses; it never decides who owns a lease, which
 * is what {@link Incarnation} is for.
 *
 * @param name at most {@value #MAX_BYTES} bytes of UTF-8, without white space, control or format characters
 */
public record NodeId(String name) implements Comparable<NodeId> {

    /** The longest name, in bytes of UTF-8. */
    public static final int MAX_BYTES = 128;

    public NodeId {
        if (!isValidName(name)) {
            throw new IllegalArgumentException("Not a node id: '" + Printable.name(name) + "'");
        }
    }

    /** Whether the text can name a node or a cell. */
    public static boolean isValidName(String name) {
        return !name.isEmpty()
                && name.getBytes(StandardCharsets.UTF_8).length <= MAX_BYTES
                && StandardCharsets.UTF_8.newEncoder().canEncode(name)
                && name.codePoints().allMatch(NodeId::isValid);
    }

    /** What cannot be seen would let two ids look the same. */
    private static boolean isValid(int codePoint) {
        return Printable.is(codePoint) && !Character.isWhitespace(codePoint) && !Character.isSpaceChar(codePoint);
    }

    @Override
    public int compareTo(NodeId other) {
        return name.compareTo(other.name);
    }

    @Override
    public String toString() {
        return name;
    }
}
