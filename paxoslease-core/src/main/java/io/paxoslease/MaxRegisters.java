package io.paxoslease;

import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * Max registers: numbers that only grow, which the members of a cell keep in memory, for "which run has the leader finished?". They are
 * advice; no lease rests on them. Thread-safe; no method blocks. Members and clients may raise and read every register, whether they hold a
 * lease or not. Implemented by this library only.
 *
 * <p>A member forgets its registers when it restarts; the members and clients that it then connects with tell it once what they still know.
 * A member keeps at most 4,096 registers that members have raised, 256 of each client, and 2,048 of all clients; beyond that it drops the
 * register raised longest ago.
 */
public interface MaxRegisters {

    /**
     * Raises a register to at least {@code value}. A value below the register's changes nothing. While members change, majorities before and
     * after the change are needed, as for leases.
     *
     * @param register its name, at most {@value PaxosLease#MAX_RESOURCE_BYTES} bytes of UTF-8; independent of the names of resources
     * @param value at least zero
     * @return completes on the callback executor, or is complete at once: when a majority of the members has at least that value; with
     *     {@link PaxosLeaseException} when the node is stopped, 1,024 requests wait already, or no majority has answered within the lease time
     *     (at least one second, at most five): some members may have the value then. With {@link UnsupportedOperationException} where the algorithm has no registers
     * @throws IllegalArgumentException when the name is empty or too long, or the value negative
     */
    CompletableFuture<Void> raise(String register, long value);

    /**
     * Reads the highest value of a register that the first majority of the members to answer knows. It includes what a completed
     * {@link #raise} has stored, also after a change of the members, with two exceptions: members have restarted since and were not told
     * again; or each member that had the value left the cell before it could tell the new members (100 registers in each 10 ms and round
     * trip, until the seal, after 1.22 times the longest lease). It may include a value of a raise that failed. Any node of the cell may have
     * raised the register to any number: reject a value that cannot be.
     *
     * @param register its name, at most {@value PaxosLease#MAX_RESOURCE_BYTES} bytes of UTF-8
     * @return completes as the result of {@link #raise} does: with the value, or empty when none of them knows one
     * @throws IllegalArgumentException when the name is empty or too long
     */
    CompletableFuture<OptionalLong> read(String register);
}
