package io.paxoslease.transport.netty;

import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.paxos.PaxosMessage;
import java.util.concurrent.TimeUnit;

/**
 * How much a member takes from one client: everything that comes costs points, as many as it takes of the member's time, and bytes. A point is
 * about three microseconds, so one client gets about a twentieth of a processor: 4,000 requests for leases a second, and 4,096 at once. A client
 * of 100,000 leases renews them within that. On the event loop.
 */
final class RequestBudget {

    /** A question that is answered, or looks for a lease; and what only members have to say, which is ignored from a client. */
    static final int REQUEST = 4;

    /** Of TLS that brings data, beside what is in it. */
    static final int RECORD = 2;
    /** Of TLS that brings none: keys are changed in both directions. */
    static final int SILENT_RECORD = 64;

    static final int EMPTY_FRAME = 1;

    private static final int RELEASE = 1;
    /** Of a list, so many cost a point. */
    private static final int EXTENSIONS_OF_A_POINT = 16;
    /** One that is named by its number may be as long as any. */
    private static final int EXTENSIONS_OF_A_KNOWN_LIST = 512;

    private static final long POINTS_A_SECOND = 16_000;
    private static final long MOST_POINTS = 4_096 * REQUEST;
    /** A peer changes its keys after hours, or gigabytes. */
    private static final long SILENT_RECORDS_A_SECOND = 1;

    private static final long MOST_SILENT_RECORDS = 8;
    private static final long BYTES_A_SECOND = 2L << 20;
    private static final long MOST_BYTES = 8L << 20;

    private final Bucket points;
    private final Bucket bytes;
    private final Bucket silentRecords;

    /** Fills up as time goes by; what was taken beyond it has to be waited for. */
    private static final class Bucket {

        private final long nanosOfOne;
        private final long mostNanos;
        private long nanos;
        private long filledAt;

        Bucket(long perSecond, long most, long now) {
            this.nanosOfOne = Math.max(1, TimeUnit.SECONDS.toNanos(1) / perSecond);
            this.mostNanos = most * nanosOfOne;
            this.nanos = mostNanos;
            this.filledAt = now;
        }

        void fill(long now) {
            nanos = Math.min(mostNanos, nanos + (now - filledAt));
            filledAt = now;
        }
    }

    RequestBudget(long now) {
        this.points = new Bucket(POINTS_A_SECOND, MOST_POINTS, now);
        this.bytes = new Bucket(BYTES_A_SECOND, MOST_BYTES, now);
        this.silentRecords = new Bucket(SILENT_RECORDS_A_SECOND, MOST_SILENT_RECORDS, now);
    }

    static int cost(Message message) {
        Message request = message instanceof PaxosMessage.InMode inMode ? inMode.request() : message;
        if (request instanceof PaxosMessage.Extend extend) {
            int extensions = extend.isByNumber()
                    ? EXTENSIONS_OF_A_KNOWN_LIST
                    : extend.extensions().size();
            return 1 + extensions / EXTENSIONS_OF_A_POINT;
        }
        if (Releases.isRelease(request)) {
            return RELEASE;
        }
        return REQUEST;
    }

    /** What is left is looked at as of that moment. */
    void fill(long now) {
        points.fill(now);
        bytes.fill(now);
        silentRecords.fill(now);
    }

    /** Whether anything is left to pay a message with: it may cost more than that. */
    boolean isLeft() {
        return points.nanos >= 0;
    }

    void spend(int cost) {
        points.nanos -= cost * points.nanosOfOne;
    }

    void spendBytes(int count) {
        bytes.nanos -= count * bytes.nanosOfOne;
    }

    /** Whether one more TLS record without data is no fault. */
    boolean takesSilentRecord() {
        silentRecords.nanos -= silentRecords.nanosOfOne;
        return silentRecords.nanos >= 0;
    }

    /** For how many nanoseconds nothing more should be read: until all that was taken is paid for. */
    long pauseNanos() {
        return Math.max(0, -Math.min(points.nanos, bytes.nanos));
    }
}
