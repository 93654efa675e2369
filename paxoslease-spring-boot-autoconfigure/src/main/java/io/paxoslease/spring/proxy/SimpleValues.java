package io.paxoslease.spring.proxy;

import java.time.temporal.Temporal;
import java.util.UUID;

/** Values of expressions whose text is the same on every instance, and in each of its time zones and languages. */
public final class SimpleValues {

    private SimpleValues() {}

    /** Whether it is a text, number, boolean, character, enum constant or UUID, or a date or time of {@code java.time}. */
    public static boolean isSimple(Object value) {
        return value instanceof CharSequence
                || value instanceof Number
                || value instanceof Boolean
                || value instanceof Character
                || value instanceof Enum<?>
                || value instanceof UUID
                || value instanceof Temporal;
    }
}
