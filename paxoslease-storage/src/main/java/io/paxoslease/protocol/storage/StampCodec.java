package io.paxoslease.protocol.storage;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Printable;
import java.util.HexFormat;
import java.util.Locale;

/** Stamps as one line of text, so that people can read a register with the tools of the store. */
final class StampCodec {

    private static final String KIND = "paxoslease-stamp/";
    private static final String VERSION = "1";
    private static final String[] NAMES = {
        "owner", "incarnation", "serial", "sequence", "token", "lease-ns", "access-ns", "form", "readers"
    };
    private static final String COMPARES = "compare-and-set";
    private static final String WRITES = "read-write";
    private static final int WORDS = NAMES.length + 2;
    private static final int HEX_OF_LONG = 16;

    /** In nanoseconds, a hundred days; no sequence gets there. So sums and products of what was read cannot overflow. */
    private static final long MAX_NUMBER = 1L << 53;

    private StampCodec() {}

    /** The last word ends the line, so that a text that was cut off is no stamp. */
    static Content encode(Stamp stamp) {
        String incarnation = stamp.incarnation().toString();
        return Content.of(
                "%s%s owner=%s incarnation=%s serial=%d sequence=%d token=%d lease-ns=%d access-ns=%d form=%s readers=%s %s\n"
                        .formatted(
                                KIND,
                                VERSION,
                                stamp.owner(),
                                incarnation,
                                stamp.serial(),
                                stamp.sequence(),
                                stamp.token(),
                                stamp.leaseNanos(),
                                stamp.accessNanos(),
                                form(stamp.compares()),
                                stamp.readers(),
                                stamp.state().name().toLowerCase(Locale.ROOT)));
    }

    /** @throws IllegalArgumentException when no client of this version wrote that */
    static Stamp decode(Content content) {
        String text = content.text();
        if (content.length() > Content.MAX_BYTES || !text.startsWith(KIND) || !text.endsWith("\n")) {
            throw new IllegalArgumentException("it is no stamp of a lease");
        }
        String[] words = text.substring(KIND.length(), text.length() - 1).split(" ", -1);
        if (!words[0].equals(VERSION)) {
            throw new IllegalArgumentException(
                    "its format is version %s, and this client knows version %s only: update it"
                            .formatted(words[0], VERSION));
        }
        if (words.length != WORDS) {
            throw new IllegalArgumentException("it has %d words instead of %d".formatted(words.length, WORDS));
        }
        String incarnation = value(words, 1);
        if (incarnation.length() != 2 * HEX_OF_LONG) {
            throw new IllegalArgumentException("its incarnation is '" + Printable.text(incarnation) + "'");
        }
        return new Stamp(
                new NodeId(value(words, 0)),
                new Incarnation(
                        HexFormat.fromHexDigitsToLong(incarnation, 0, HEX_OF_LONG),
                        HexFormat.fromHexDigitsToLong(incarnation, HEX_OF_LONG, 2 * HEX_OF_LONG)),
                number(words, 2),
                number(words, 3),
                number(words, 4),
                number(words, 5),
                number(words, 6),
                compares(value(words, 7)),
                value(words, 8),
                Stamp.State.valueOf(words[WORDS - 1].toUpperCase(Locale.ROOT)));
    }

    /** The form of a lease, in a word. */
    static String form(boolean compares) {
        return compares ? COMPARES : WRITES;
    }

    private static boolean compares(String form) {
        if (!form.equals(COMPARES) && !form.equals(WRITES)) {
            throw new IllegalArgumentException("its form is '" + Printable.text(form) + "'");
        }
        return form.equals(COMPARES);
    }

    private static String value(String[] words, int index) {
        String name = NAMES[index] + "=";
        String word = words[index + 1];
        if (!word.startsWith(name)) {
            throw new IllegalArgumentException(
                    "it has '%s' where '%s' belongs".formatted(Printable.text(word), Printable.name(name)));
        }
        return word.substring(name.length());
    }

    private static long number(String[] words, int index) {
        long number = Long.parseLong(value(words, index));
        if (number < 0 || number > MAX_NUMBER) {
            throw new IllegalArgumentException("its %s is out of bounds: %d".formatted(NAMES[index], number));
        }
        return number;
    }
}
