package io.paxoslease.protocol.paxos;

/**
 * How many bytes an acceptor's tables may have, by what the process may have in all. So they fit beside all else however many messages
 * come: at most {@code 7/16} of the heap, if every table is full.
 *
 * @param leases what is remembered of resources, their names included
 * @param waiting the proposals that are kept, and who waits
 * @param overflow those that the queues have no room for
 * @param lists the lists of extensions that are remembered
 */
record AcceptorMemory(long leases, long waiting, long overflow, long lists) {

    /** Without bounds but those of each table by itself. */
    static final long UNBOUNDED = Long.MAX_VALUE;

    static AcceptorMemory of(long heap) {
        return new AcceptorMemory(heap / 4, heap / 16, heap / 16, heap / 16);
    }
}
