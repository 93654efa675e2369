package io.paxoslease;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One tenure: the time from a grant to its release or loss. Instances are thread-safe; {@link #isHeld()},
 * {@link #remaining()} and {@link #fencingToken()} are local, never block and cost a few clock readings. A lease belongs to no
 * thread: any thread may use and release it.
 */
public interface Lease extends AutoCloseable {

    /** The name of the resource that is leased. */
    String resource();

    /**
     * Whether this node holds the lease at this instant, by its own clocks: the deadline is compared with the clock at
     * each call, so the answer turns false on time even if every thread of the node hangs. A caller that is stopped
     * between this call and an external effect may act late: let the resource check the {@link #fencingToken()}.
     */
    boolean isHeld();

    /** The time left until the deadline, zero when the lease is not held. A renewal moves the deadline. */
    Duration remaining();

    /**
     * The number that marks this tenure: a later tenure of another node has a larger one. It stays the same over
     * renewals. Values are positive and below 2^53 until the year 2255.
     */
    long fencingToken();

    /**
     * Gives the lease up. Returns at once: from then on {@link #isHeld()} is false here, and the cell is told in the
     * background. Releasing a lease that has ended does nothing.
     */
    void release();

    /**
     * Asks the members whether that node can have the lease next (rule Q14). The lease stays as it is. A node that waits for
     * room in the queue gets a place.
     *
     * @param nodeId the possible next holder
     * @return completes within half a second, on the node's callback executor
     * @throws IllegalArgumentException when no other node can have that id
     */
    CompletableFuture<Nomination> nominate(String nodeId);

    /**
     * Gives the lease up as {@link #release()} does; a request of that node comes before all others (rule Q15). If that node does not wait,
     * the lease goes to the node that has waited longest: {@link #nominate} first to know.
     *
     * @param nodeId the next holder
     * @throws IllegalArgumentException when no other node can have that id; the lease is still held then
     */
    void releaseTo(String nodeId);

    /** The same as {@link #release()}, for try-with-resources. */
    @Override
    default void close() {
        release();
    }

    /**
     * Asks the cell to extend the lease to the given time from now. A shorter time than what is left changes nothing.
     *
     * @param leaseTime how long to hold it from now, at most the cell's maximum lease time
     * @return completes with true when a majority agreed, with false when the lease ended first; on the node's callback
     *     executor
     * @throws IllegalArgumentException when the time is out of bounds
     */
    CompletableFuture<Boolean> renew(Duration leaseTime);

    /**
     * Changes the note of the lease: a text of the holder's choice, such as a URL or a version, that other nodes can read along with the
     * holder ({@link io.paxoslease.monitor.LeaseStatus#note()}). It is information only: it may be lost or be late, and any node of the cell
     * could have written it. Returns at once. The cell is told within a second, or up to five seconds later while others wait for the
     * lease, since a change costs each of them a message. Of several changes only the last one is told. Does nothing when the lease has ended.
     *
     * @param note null or empty: the lease has no note any more
     * @throws IllegalArgumentException when it is longer than 255 bytes of UTF-8, or no valid Unicode; or when the algorithm of this node
     *     has no notes
     */
    void note(@Nullable String note);

    /**
     * Adds a listener that is told when the lease is lost; at once when it has been lost already. Not called after
     * {@link #release()}.
     */
    void onLost(LeaseListener listener);
}
