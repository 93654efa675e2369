package io.paxoslease.node.storage;

import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.storage.RegisterMessage;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What was wrong with the latest accesses of a client to its store, for the texts of exceptions. Thread-safe. */
final class StoreTroubles {

    private static final int MAX_REGISTERS = 1_024;
    private static final long MILLI = 1_000_000;
    private static final String CLASS_NAME = "java.io.IOException: ";

    /**
     * Of one register.
     *
     * @param begun when the access began that has no answer yet; null: it has been answered
     * @param failure why the latest access that was answered has failed; null: it has not
     */
    private record Latest(@Nullable Moment begun, @Nullable String failure) {}

    /** Those that fail, or have an access in flight. */
    private final Map<String, Latest> registers = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Latest> eldest) {
            return size() > MAX_REGISTERS;
        }
    };
    /** Of the latest access to any register. */
    private @Nullable String failure;

    synchronized void begun(String register, Moment now) {
        Latest before = registers.remove(register);
        registers.put(register, new Latest(now, before == null ? null : before.failure()));
    }

    synchronized void ended(String register, RegisterMessage.Answer answer) {
        failure = answer instanceof RegisterMessage.Failed failed ? text(failed.reason()) : null;
        registers.remove(register);
        if (failure != null) {
            registers.put(register, new Latest(null, failure));
        }
    }

    private static String text(String reason) {
        return reason.startsWith(CLASS_NAME) ? reason.substring(CLASS_NAME.length()) : reason;
    }

    /**
     * What is wrong with that register, or with the one that was accessed last, as a lease may need two; null: nothing.
     *
     * @param boundNanos the access bound: without an answer for as long, the store does not answer
     */
    synchronized @Nullable String of(String register, long boundNanos, Moment now) {
        Latest latest = registers.get(register);
        if (latest == null) {
            return failure;
        }
        if (latest.begun() != null && latest.begun().nanosUntil(now) >= boundNanos) {
            return "no answer within %d ms".formatted(boundNanos / MILLI);
        }
        return latest.failure() == null ? failure : latest.failure();
    }
}
