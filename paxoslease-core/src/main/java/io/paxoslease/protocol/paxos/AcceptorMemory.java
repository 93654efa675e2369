package io.paxoslease.protocol.paxos;

/**
 * How many bytes an acceptor's tables may have, by what the process may have in all. So they fit beside all else however many messages
 * come: at most {@code 31/64} of the heap, if every table is full.
 *
 * @param leases what is remembered of resources, their names included
 * @param waiting the proposals that are kept, and who waits
 * @param overflow those that the queues have no room for
 * @param lists the lists of extensions that are remembered
 * @param notes the notes of leases, at most {@link RecordNotes#MOST_BYTES}
 * @param watches those that watch, and what they are told of
 */
record AcceptorMemory(long leases, long waiting, long overflow, long lists, long notes, long watches) {

    /** Without bounds but those of each table by itself. */
    static final long UNBOUNDED = Long.MAX_VALUE;

    static AcceptorMemory of(long heap) {
        return new AcceptorMemory(
                heap / 4, heap / 16, heap / 16, heap / 16, Math.min(RecordNotes.MOST_BYTES, heap / 64), heap / 32);
    }
}
