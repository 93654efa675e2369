package io.paxoslease.transport.netty;

import io.netty.util.internal.PlatformDependent;
import io.paxoslease.monitor.ConnectionRefusal;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Bounds the sum of what the connections of all clients keep in a member: frames that have come in part, or are not paid for yet, and what is not
 * sent yet as the client does not read. Beyond it those are closed that have kept something for longest: an honest client keeps little, and not for
 * long. Members are not counted. On the event loop.
 */
final class ClientMemory {

    /** The connection of a client, which keeps something. */
    interface Keeper {
        /** Counts what it keeps again. */
        void measure();

        /** Closes the connection, whose memory is free then. */
        void refuse(ConnectionRefusal reason, String why);
    }

    /** Of the heap, and of what is allowed outside of it. */
    private static final int SHARE = 16;

    private final long most;
    /** Those that keep something, first who has done so for longest. */
    private final Set<Keeper> keeping = new LinkedHashSet<>();

    private long sum;

    /** Of the heap or of what is allowed outside of it, whichever is less. */
    static ClientMemory ofThisProcess() {
        return new ClientMemory(
                Math.min(Runtime.getRuntime().maxMemory(), PlatformDependent.estimateMaxDirectMemory()));
    }

    /** @param memory that the process may use, in bytes */
    ClientMemory(long memory) {
        this.most = memory / SHARE;
    }

    /**
     * @param before what it kept
     * @param now what it keeps
     * @param goneOn whether nothing of what it kept is left, so that it has kept something since now
     */
    void keeps(Keeper client, long before, long now, boolean goneOn) {
        sum += now - before;
        if (now == 0 || goneOn) {
            keeping.remove(client);
        }
        if (now > 0) {
            keeping.add(client);
        }
    }

    /** Closes connections, if too much is kept: to an eighth below the bound, so that not every read comes to look at all of them. */
    void check() {
        if (sum <= most) {
            return;
        }
        List.copyOf(keeping).forEach(Keeper::measure); // some may have been sent what waited
        if (sum <= most) {
            return;
        }
        for (Keeper client : List.copyOf(keeping)) {
            if (sum <= most - most / 8) {
                return;
            }
            client.refuse(
                    ConnectionRefusal.BUSY,
                    "what clients have sent in part or have not read takes %d bytes, and %d may be (a sixteenth of the memory): this one has kept something for longest"
                            .formatted(sum, most));
        }
    }

    long sum() {
        return sum;
    }
}
