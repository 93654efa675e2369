package io.paxoslease.protocol.paxos;

/**
 * How many bytes an acceptor's tables may have, by what the process may have in all. So they leave room for all else however many messages
 * come: at most {@code 37/64} of the heap, if every table is full.
 *
 * @param leases what is remembered of resources, their names included
 * @param waiting the proposals that are kept, and who waits
 * @param overflow those that the queues have no room for
 * @param lists the lists of extensions that are remembered
 * @param notes the notes of leases, at most {@link RecordNotes#MOST_BYTES}
 * @param subscriptions those that watch
 * @param records the live records that can be watched, with their notes
 * @param ends the records that can be watched and have ended, at most {@link RecordLog#MOST_ENDED} of them
 */
record AcceptorMemory(
        long leases, long waiting, long overflow, long lists, long notes, long subscriptions, long records, long ends) {

    /** Without bounds but those of each table by itself. */
    static final long UNBOUNDED = Long.MAX_VALUE;

    /**
     * Clients have half of the subscriptions. So all clients that a member admits by default, one for 32 KB of heap, can watch one prefix each:
     * that takes 610 bytes with the client's account.
     */
    static AcceptorMemory of(long heap) {
        return new AcceptorMemory(
                heap / 4,
                heap / 16,
                heap / 16,
                heap / 16,
                Math.min(RecordNotes.MOST_BYTES, heap / 64),
                heap / 64 * 3,
                heap / 16,
                heap / 64);
    }
}
