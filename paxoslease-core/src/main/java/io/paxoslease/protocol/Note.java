package io.paxoslease.protocol;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The note of a lease: a text that its holder has chosen and that carries no authority (docs/protocol.md, section 8, Notes). */
public final class Note {

    /** The longest note, in bytes of UTF-8. */
    public static final int MAX_BYTES = 255;

    /** No note. */
    public static final String NONE = "";

    private Note() {}

    /**
     * Answers the note.
     *
     * @param note null or empty: none
     * @return {@link #NONE} instead of null
     * @throws IllegalArgumentException when it is longer than {@value #MAX_BYTES} bytes of UTF-8, or no valid Unicode
     */
    public static String check(@Nullable String note) {
        if (note == null || note.isEmpty()) {
            return NONE;
        }
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(note)) {
            throw new IllegalArgumentException(
                    "A note must be valid Unicode, and this one has half of a surrogate pair: remove it from '"
                            + Printable.name(note) + "'");
        }
        int length = note.getBytes(StandardCharsets.UTF_8).length;
        if (length > MAX_BYTES) {
            throw new IllegalArgumentException(
                    "A note has at most %d bytes of UTF-8, this one has %d: shorten it, or put a reference into it: '%s'"
                            .formatted(MAX_BYTES, length, Printable.name(note)));
        }
        return note;
    }
}
