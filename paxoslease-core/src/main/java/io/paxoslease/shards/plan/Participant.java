package io.paxoslease.shards.plan;

import io.paxoslease.protocol.Printable;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What an instance that participates in a group tells the others (S2): the content of the note on its lease
 * {@code shards:<group>/<node>}. The node's id is part of the lease's name, not of the note.
 *
 * <p>No clock reading travels. {@code ageMillis} is a duration that the writer measured when it wrote the note; an observer adds the
 * time since it first saw that note. The sum is a lower bound of the true age: it lacks the time from writing to seeing, which is
 * long for an observer that came later. Waits that depend on the age therefore end late, never early. Which of two instances started
 * later is compared by {@code order}, never by ages: an instance that becomes active takes the highest order in its view and adds one.
 * So all observers of the same notes agree.
 *
 * <p>The text is {@code v=1;state=active;boot=5f1c09aa;age=4200;order=3;rev=1.4.2-9f3c;count=32;max=20}. A reader ignores keys that it does not know.
 *
 * @param boot drawn at random by each process: a note with another one is of another start
 * @param ageMillis how long before it wrote the note the instance had started, by its own clock
 * @param order the place of its start among all starts that it knew of; 0 until it is active
 * @param revision what it runs, as {@link #revision} returns it
 * @param count the number of shards that it is configured with, 1 to {@value #MAX_COUNT}
 * @param maxOwned the most shards that it accepts, 1 to count
 */
public record Participant(State state, int boot, long ageMillis, int order, String revision, int count, int maxOwned) {

    /** The most shards of a group. */
    public static final int MAX_COUNT = 4_096;

    /** The longest text, in bytes. */
    public static final int MAX_BYTES = 255;

    static final int MAX_ORDER = 1_000_000_000;
    static final long MAX_AGE_MILLIS = 10L * 365 * 24 * 3_600_000;

    private static final int LONGEST_REVISION = 64;
    private static final Pattern REVISION = Pattern.compile("[\\x21-\\x7e&&[^;]]{1," + LONGEST_REVISION + "}");
    private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");
    private static final Pattern BOOT = Pattern.compile("[0-9a-f]{8}");
    private static final int HEX = 16;
    private static final String VERSION = "1";

    /** Where an instance stands in its group. */
    public enum State {
        /** It has started and is not ready yet: it gets no shards. */
        JOINING,
        /** It owns its share. */
        ACTIVE,
        /** Its health group is down: it gives its shards up and gets none (S10). */
        STANDBY,
        /** It stops: it gives its shards up and gets none (S8). */
        LEAVING;

        /** Whether its shards are for others. */
        public boolean givesUp() {
            return this == STANDBY || this == LEAVING;
        }
    }

    /** @throws IllegalArgumentException if a value is out of its bounds */
    public Participant {
        check(count >= 1 && count <= MAX_COUNT, "A group has 1 to %,d shards, not %,d".formatted(MAX_COUNT, count));
        check(maxOwned >= 1 && maxOwned <= count, "max-owned is 1 to count (%,d), not %,d".formatted(count, maxOwned));
        check(ageMillis >= 0 && ageMillis <= MAX_AGE_MILLIS, "An age of " + ageMillis + " ms is out of bounds");
        check(order >= 0 && order <= MAX_ORDER, "An order of " + order + " is out of bounds");
        check(
                REVISION.matcher(revision).matches(),
                "Not a revision of a note, use Participant.revision: " + Printable.name(revision));
    }

    private static void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }

    /**
     * A revision as notes carry it: the text itself if it is short and has only visible ASCII characters without a semicolon, else its
     * beginning, with other characters replaced, and its {@linkplain StableHash hash}. Different texts get different revisions.
     */
    public static String revision(String text) {
        if (REVISION.matcher(text).matches()) {
            return text;
        }
        String visible = text.replaceAll("[^\\x21-\\x7e]|;", "_");
        return "%s~%016x".formatted(visible.substring(0, Math.min(40, visible.length())), StableHash.of(text));
    }

    /** The same, written so long after the start. */
    public Participant withAge(long millis) {
        return new Participant(
                state, boot, Math.min(MAX_AGE_MILLIS, Math.max(0, millis)), order, revision, count, maxOwned);
    }

    /** The text of the note, at most {@value #MAX_BYTES} bytes of ASCII. */
    public String toNote() {
        return "v=%s;state=%s;boot=%08x;age=%d;order=%d;rev=%s;count=%d;max=%d"
                .formatted(VERSION, word(state), boot, ageMillis, order, revision, count, maxOwned);
    }

    private static String word(State state) {
        return switch (state) {
            case JOINING -> "joining";
            case ACTIVE -> "active";
            case STANDBY -> "standby";
            case LEAVING -> "leaving";
        };
    }

    /**
     * Reads a note. It is data from a peer: whatever is in it, nothing is thrown.
     *
     * @return null if this is no note of a participant, or of a version that this one does not read
     */
    @Nullable
    public static Participant fromNote(@Nullable String note) {
        if (note == null || note.length() > MAX_BYTES || note.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES) {
            return null;
        }
        Map<String, String> entries = new HashMap<>();
        for (String entry : note.split(";", -1)) {
            int at = entry.indexOf('=');
            if (at < 1 || entries.putIfAbsent(entry.substring(0, at), entry.substring(at + 1)) != null) {
                return null;
            }
        }
        State state = state(entries.get("state"));
        String boot = entries.getOrDefault("boot", "");
        String revision = entries.getOrDefault("rev", "");
        long age = number(entries.get("age"), MAX_AGE_MILLIS);
        long order = number(entries.get("order"), MAX_ORDER);
        long count = number(entries.get("count"), MAX_COUNT);
        long max = number(entries.get("max"), count);
        boolean isSound = VERSION.equals(entries.get("v"))
                && age >= 0
                && order >= 0
                && count >= 1
                && max >= 1
                && BOOT.matcher(boot).matches()
                && REVISION.matcher(revision).matches();
        return isSound && state != null
                ? new Participant(
                        state, Integer.parseUnsignedInt(boot, HEX), age, (int) order, revision, (int) count, (int) max)
                : null;
    }

    @Nullable
    private static State state(@Nullable String word) {
        for (State state : State.values()) {
            if (word(state).equals(word)) {
                return state;
            }
        }
        return null;
    }

    /** Minus one if it is no number, or above the highest. */
    private static long number(@Nullable String digits, long highest) {
        if (digits == null || !NUMBER.matcher(digits).matches()) {
            return -1;
        }
        long number = Long.parseLong(digits);
        return number <= highest ? number : -1;
    }
}
