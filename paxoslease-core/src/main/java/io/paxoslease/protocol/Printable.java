package io.paxoslease.protocol;

import org.jspecify.annotations.Nullable;

/**
 * How names and texts from outside are written into log lines, messages of exceptions and refusals: on one line, with every
 * character to be seen, and cut. Control and format characters, line separators and halves of surrogate pairs are written as a
 * backslash, the letter u and their number in four hexadecimal digits (U and eight beyond the first plane), so that no text
 * starts a line of its own or turns the rest of one round.
 */
public final class Printable {

    /** The longest form of a name, in characters; what is longer is cut, and ends with an ellipsis. */
    public static final int MAX_NAME = 255;

    /** The longest form of a sentence that another node or a library wrote. */
    public static final int MAX_TEXT = 1_024;

    /** The longest form of a line that was put together of names and texts. */
    public static final int MAX_LINE = 8_192;

    private static final int FIRST_OF_ASCII = 0x20;
    private static final int LAST_OF_ASCII = 0x7e;

    private Printable() {}

    /** A name, at most {@value #MAX_NAME} characters of it. */
    public static String name(@Nullable Object name) {
        return form(String.valueOf(name), MAX_NAME);
    }

    /** A text that has names in it, at most {@value #MAX_TEXT} characters of it. */
    public static String text(@Nullable Object text) {
        return form(String.valueOf(text), MAX_TEXT);
    }

    /** A line of the log that is put together of names and texts, at most {@value #MAX_LINE} characters of it. */
    public static String line(@Nullable Object line) {
        return form(String.valueOf(line), MAX_LINE);
    }

    /** {@code host:port} as it is configured: an IPv6 address stands in brackets. */
    public static String address(String host, int port) {
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }

    /** Whether the character can be seen, or is a space, and stays in its line. */
    public static boolean is(int codePoint) {
        if (codePoint >= FIRST_OF_ASCII && codePoint <= LAST_OF_ASCII) {
            return true;
        }
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE -> false;
            default -> true;
        };
    }

    /** Nearly every name: without an object for each. */
    private static boolean isAscii(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) < FIRST_OF_ASCII || text.charAt(i) > LAST_OF_ASCII) {
                return false;
            }
        }
        return true;
    }

    private static String form(String text, int longest) {
        if (text.length() <= longest && (isAscii(text) || text.codePoints().allMatch(Printable::is))) {
            return text;
        }
        StringBuilder form = new StringBuilder();
        int next = 0;
        while (next < text.length()) {
            int codePoint = text.codePointAt(next);
            String one = is(codePoint) ? Character.toString(codePoint) : number(codePoint);
            if (form.length() + one.length() > longest) {
                return form.append('…').toString();
            }
            form.append(one);
            next += Character.charCount(codePoint);
        }
        return form.toString();
    }

    private static String number(int codePoint) {
        return codePoint > Character.MAX_VALUE ? "\\U%08x".formatted(codePoint) : "\\u%04x".formatted(codePoint);
    }
}
