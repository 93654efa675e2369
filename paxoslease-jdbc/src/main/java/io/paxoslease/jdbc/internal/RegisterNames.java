package io.paxoslease.jdbc.internal;

import io.paxoslease.protocol.Printable;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Names of registers as keys that every file system and database keeps apart: of small letters, digits and {@code -_.=~}, at
 * most 200 characters. Small letters, digits and {@code -_.} stand for themselves, any other byte of UTF-8 is an equals sign and two
 * hexadecimal digits, and so is a dot at the end, which Windows and SMB drop. Where that is too long, its beginning and a digest of the
 * name are the key.
 */
public final class RegisterNames {

    /** In bytes of UTF-8. */
    public static final int LONGEST_NAME = 255;

    private static final int LONGEST_KEY = 200;
    private static final int BEGINNING = 100;
    private static final String PLAIN = "abcdefghijklmnopqrstuvwxyz0123456789-_.";
    private static final String DOT = ".";
    private static final String ESCAPED_DOT = "=2e";
    private static final char ESCAPE = '=';
    private static final char DIGEST = '~';
    private static final HexFormat HEX = HexFormat.of();

    private RegisterNames() {}

    /**
     * The name in UTF-8.
     *
     * @throws IllegalArgumentException when it is empty, too long or no valid Unicode
     */
    public static byte[] check(String name) {
        byte[] bytes = utf8(name);
        if (bytes.length == 0 || bytes.length > LONGEST_NAME) {
            throw new IllegalArgumentException(
                    "A register's name has 1 to %d bytes of UTF-8, this one has %d: shorten it, or use a hash of it: '%s'"
                            .formatted(LONGEST_NAME, bytes.length, Printable.name(name)));
        }
        return bytes;
    }

    /**
     * Checks a content.
     *
     * @throws IllegalArgumentException when it is longer than registers take
     */
    public static void checkContent(byte[] content, int longest) {
        if (content.length > longest) {
            throw new IllegalArgumentException(
                    "A register takes %d bytes here, not %d: store less, or the place where it is kept"
                            .formatted(longest, content.length));
        }
    }

    private static byte[] utf8(String name) {
        try {
            ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(name));
            byte[] bytes = new byte[encoded.remaining()];
            encoded.get(bytes);
            return bytes;
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(
                    "A register's name must be valid Unicode, and this one has half of a surrogate pair: '"
                            + Printable.name(name) + "'",
                    e);
        }
    }

    /** One for each name, also where upper and lower case are the same. */
    public static String key(String name) {
        byte[] bytes = check(name);
        String escaped = closed(escaped(bytes));
        return escaped.length() <= LONGEST_KEY
                ? escaped
                : escaped.substring(0, BEGINNING) + DIGEST + HEX.formatHex(sha256(bytes));
    }

    /** What the key of every name that begins with the prefix begins with. */
    public static String keyPrefix(String prefix) {
        String escaped = escaped(utf8(prefix));
        int end = escaped.endsWith(DOT) ? escaped.length() - 1 : escaped.length();
        return escaped.substring(0, Math.min(end, BEGINNING));
    }

    /** The name that has this key; null when the key does not tell. */
    public static @Nullable String name(String key) {
        String name;
        try {
            name = URLDecoder.decode(key.replace(ESCAPE, '%'), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException noKey) {
            return null;
        }
        return !name.isEmpty()
                        && closed(escaped(name.getBytes(StandardCharsets.UTF_8)))
                                .equals(key)
                ? name
                : null;
    }

    /** Without a dot at the end. */
    private static String closed(String escaped) {
        return escaped.endsWith(DOT) ? escaped.substring(0, escaped.length() - 1) + ESCAPED_DOT : escaped;
    }

    private static String escaped(byte[] bytes) {
        StringBuilder text = new StringBuilder(bytes.length + 16);
        for (byte b : bytes) {
            if (b > 0 && PLAIN.indexOf(b) >= 0) {
                text.append((char) b);
            } else {
                text.append(ESCAPE).append(HEX.toHexDigits(b));
            }
        }
        return text.toString();
    }

    public static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256", e);
        }
    }
}
