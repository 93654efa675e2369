package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Note;
import io.paxoslease.protocol.Quorum;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What nodes that run PaxosLease say to each other (section 4). Only {@link Accepted} and {@link Extended} carry authority: every other answer
 * is a hint, except {@link Open}, which is a promise and orders tokens. Durations are in nanoseconds; no clock reading travels, save as a ballot counter.
 */
public sealed interface PaxosMessage extends Message {

    /** From a proposer to an acceptor. */
    sealed interface Request extends PaxosMessage {}

    /** From an acceptor to a proposer. */
    sealed interface Answer extends PaxosMessage {}

    /** An answer that concerns one attempt for one resource, and echoes both. */
    sealed interface Reply extends Answer {
        String resource();

        Ballot ballot();

        /** Names the attempt, so that an abandoned one's answers are dead for ever (P5). */
        long attempt();
    }

    /** Is a live lease in the way, and may this ballot propose? */
    record Prepare(String resource, Ballot ballot, long attempt) implements Request {

        @Override
        public String requested() {
            return resource;
        }

        @Override
        public boolean acquires() {
            return true;
        }
    }

    /**
     * Record the ballot's incarnation as the holder for T. Also the one-round acquire, and the renewal.
     *
     * @param queueMode what the acceptor may do with it while another's live lease is in the way
     * @param enqueuedCounter the counter of the first ballot since the proposer began to want it: the proposer that has wanted it longest comes first;
     *     zero: the holder, which renews it
     * @param predecessorCounter the counter of the proposer that is known to come before it; zero: none is known. An acceptor that has
     *     heard of no such counter yet keeps the proposal, also when no lease is in its way: else it would take the place of one
     *     whose message is late
     * @param note of the tenure, which becomes the note of the record (X1); empty: none
     */
    record Propose(
            String resource,
            Ballot ballot,
            long leaseNanos,
            long attempt,
            QueueMode queueMode,
            long enqueuedCounter,
            long predecessorCounter,
            String note)
            implements Request {

        @Override
        public String requested() {
            return resource;
        }

        /** A first renewal does not acquire. A renewal that an acceptor is to queue (Q13) counts like a request to acquire. */
        @Override
        public boolean acquires() {
            return queueMode != QueueMode.NONE;
        }

        /** Without a note. */
        public Propose(
                String resource,
                Ballot ballot,
                long leaseNanos,
                long attempt,
                QueueMode queueMode,
                long enqueuedCounter,
                long predecessorCounter) {
            this(resource, ballot, leaseNanos, attempt, queueMode, enqueuedCounter, predecessorCounter, Note.NONE);
        }

        public Propose(
                String resource,
                Ballot ballot,
                long leaseNanos,
                long attempt,
                QueueMode queueMode,
                long enqueuedCounter) {
            this(resource, ballot, leaseNanos, attempt, queueMode, enqueuedCounter, 0);
        }

        public Propose(String resource, Ballot ballot, long leaseNanos, long attempt) {
            this(resource, ballot, leaseNanos, attempt, QueueMode.NONE, ballot.counter());
        }

        /** The same, with that note. */
        public Propose withNote(String text) {
            return new Propose(
                    resource, ballot, leaseNanos, attempt, queueMode, enqueuedCounter, predecessorCounter, text);
        }
    }

    /** What becomes of a proposal that a live lease is in the way of. */
    enum QueueMode {
        /** Nothing: its proposer asks again. */
        NONE,
        /** Nothing, but the holder is to say whether the lease is in use. */
        ASK_HOLDER,
        /**
         * The acceptor keeps it, and looks at it again when the lease is released, as if it had been under way until then: a
         * message may be late, and come twice.
         */
        QUEUE
    }

    /**
     * Extend the live records of one incarnation; creates none.
     *
     * @param batchId the number of the list, unique within the incarnation; the acceptor is to remember the list under it.
     *     {@link #UNNUMBERED}: it need not
     * @param extensions empty: those that were sent under that number
     */
    record Extend(Incarnation incarnation, long attempt, long leaseNanos, long batchId, List<Extension> extensions)
            implements Request {

        /** The number of a list that is sent once. */
        public static final long UNNUMBERED = 0;

        public Extend {
            extensions = List.copyOf(extensions);
        }

        /** Whether it names the list by its number only. */
        public boolean isByNumber() {
            return extensions.isEmpty() && batchId != UNNUMBERED;
        }
    }

    /**
     * One resource to extend.
     *
     * @param lowestCounter a record with a lower counter is not extended
     */
    record Extension(String resource, long lowestCounter) {}

    /** The incarnation holds and attempts nothing up to that counter any more. */
    record Release(String resource, Incarnation incarnation, long upToCounter) implements Request {}

    /**
     * From the node of the holder, to an acceptor that has told it that others ask once ({@link Wanted}): the lease is in use there. The
     * acceptor tells them. A member says it to its own acceptor, without a message.
     */
    record StillInUse(String resource, Incarnation incarnation) implements Request {}

    /**
     * A request that only acceptors which take that mode may grant (section 9, R1). A {@link Prepare}, {@link Propose} or {@link Extend}
     * without one is of the first generation's list.
     *
     * @param mode which acceptors decide
     * @param content of the generation (R6)
     */
    record InMode(int mode, long content, Request request) implements Request {

        public InMode {
            if (request instanceof InMode || mode < 0) {
                throw new IllegalArgumentException("One request has one mode");
            }
        }

        /** The request, as it is sent to that quorum. */
        static Request of(Quorum quorum, Request request) {
            return quorum.mode() == Quorum.FIRST ? request : new InMode(quorum.mode(), quorum.content(), request);
        }
    }

    /**
     * Which generation does the acceptor run? (section 9, R4)
     *
     * @param nonce names the question
     */
    record AskStanding(long nonce) implements Request {}

    /**
     * From the holder to an acceptor: who waits for its lease there? (Q14) It changes no record.
     *
     * @param counter the highest counter of the holder: a {@link Release} up to it would drop its record
     * @param question names the question
     * @param node the node that is asked about; the acceptor calls it into the queue if it waits outside the queue. Null: all
     *     nodes that are queued, and some of those that the queue has no room for
     */
    record Nominate(
            String resource,
            Incarnation incarnation,
            long counter,
            long question,
            @Nullable NodeId node) implements Request {}

    /** A {@link Release}, after which the queued proposal of that node is examined first (Q15). */
    record ReleaseTo(Release release, NodeId successor) implements Request {}

    /** To {@link Prepare}: nothing is in the way. */
    record Open(String resource, Ballot ballot, long attempt) implements Reply {}

    /**
     * To {@link Propose}: recorded.
     *
     * @param wanted whether others wait for it at this acceptor
     */
    record Accepted(String resource, Ballot ballot, long attempt, boolean wanted) implements Reply {
        public Accepted(String resource, Ballot ballot, long attempt) {
            this(resource, ballot, attempt, false);
        }

        /** The same, and others wait for it. */
        Accepted whenWanted() {
            return new Accepted(resource, ballot, attempt, true);
        }
    }

    /**
     * A live lease of another incarnation is in the way.
     *
     * @param owner the ballot of the record
     * @param ownerNode who proposed it
     * @param remainingNanos how long this acceptor will exclude others yet
     * @param promisedCounter above which counter this acceptor would accept if it did not
     * @param queued whether it keeps the proposal
     * @param askAgainNanos when a client that the queue has no room for asks again; zero: it need not
     * @param note of the record; empty: none
     */
    record Held(
            String resource,
            Ballot ballot,
            long attempt,
            Ballot owner,
            NodeId ownerNode,
            long remainingNanos,
            long promisedCounter,
            boolean queued,
            long askAgainNanos,
            String note)
            implements Reply {

        /** For a proposer that asks again when the lease ought to be free. */
        public Held(
                String resource,
                Ballot ballot,
                long attempt,
                Ballot owner,
                NodeId ownerNode,
                long remainingNanos,
                long promisedCounter,
                boolean queued) {
            this(resource, ballot, attempt, owner, ownerNode, remainingNanos, promisedCounter, queued, 0, Note.NONE);
        }

        /** The same, and the acceptor keeps the proposal. */
        Held whenQueued() {
            return with(true, 0, note);
        }

        /** The same, for a client that the queue has no room for. */
        Held askingAgainAfter(long nanos) {
            return with(false, nanos, note);
        }

        /** The same, with the note of the record. */
        public Held withNote(String text) {
            return with(queued, askAgainNanos, text);
        }

        private Held with(boolean kept, long nanos, String text) {
            return new Held(
                    resource, ballot, attempt, owner, ownerNode, remainingNanos, promisedCounter, kept, nanos, text);
        }
    }

    /**
     * From the node of the holder, after {@link Held}: the lease is in use there at present. Or from an acceptor to the owner of a record
     * that another's renewal has met.
     *
     * @param attempt {@link #OF_RECORD}: the ballot is that of the record
     */
    record InUse(String resource, Ballot ballot, long attempt) implements Reply {

        /** In place of an attempt, which an acceptor does not remember. */
        static final long OF_RECORD = 0;

        public boolean isOfRecord() {
            return attempt == OF_RECORD;
        }
    }

    /** The ballot is too old here: a higher one than {@code promisedCounter} is needed. */
    record Stale(String resource, Ballot ballot, long attempt, long promisedCounter) implements Reply {}

    /**
     * The request itself cannot be served.
     *
     * @param limit the longest lease in nanoseconds, the highest counter accepted now, the highest number of leases, or the acceptor's
     *     generation, as the reason says
     */
    record Refused(String resource, Ballot ballot, long attempt, Refusal reason, long limit) implements Reply {}

    /** Why a request cannot be served. */
    enum Refusal {
        /** T is above the cell's longest lease (A2). */
        TOO_LONG,
        /** The counter is too far above the acceptor's wall clock (section 7). */
        TOO_FAR_AHEAD,
        /** The acceptor keeps no more leases of one client, or has no room for them (section 8). */
        TOO_MANY,
        /** The acceptor runs a generation that does not take the request's mode (section 9). */
        OTHER_GENERATION
    }

    /**
     * To {@link Extend}: every listed record was extended but those that are missing.
     *
     * @param missing the positions in the list, ascending, of what has no such record here
     * @param wanted the positions of what others wait for here
     */
    record Extended(Incarnation incarnation, long attempt, List<Integer> missing, List<Integer> wanted)
            implements Answer {
        public Extended {
            missing = List.copyOf(missing);
            wanted = List.copyOf(wanted);
        }
    }

    /** To {@link Extend} that named a list which is not known here: nothing was extended. */
    record UnknownBatch(Incarnation incarnation, long attempt) implements Answer {}

    /**
     * To {@link AskStanding}; to none where the acceptor tells of a seal, or refuses an {@link Extend} of a mode that it does not take.
     *
     * @param boot names what the acceptor remembers since it began to
     * @param generation what it runs
     * @param sealed the highest generation that it knows to be sealed
     */
    record Standing(long nonce, Incarnation boot, Generation generation, int sealed) implements Answer {

        /** Questions are numbered from one on. */
        static final long UNASKED = 0;

        boolean isUnasked() {
            return nonce == UNASKED;
        }
    }

    /**
     * A hint to the node of the holder, if it has no acceptor that could tell it: others wait for the lease here.
     *
     * @param incarnation the holder's
     * @param counter of its record here
     * @param highestQueued the highest counter of a proposal that is queued here; zero: none is
     * @param asking whether one asks once, so that {@link StillInUse} would be news to it
     * @param first the node whose turn comes first here; null: none is known
     */
    record Wanted(
            String resource,
            Incarnation incarnation,
            long counter,
            long highestQueued,
            boolean asking,
            @Nullable NodeId first)
            implements Answer {

        public Wanted(String resource, Incarnation incarnation, long counter, long highestQueued, boolean asking) {
            this(resource, incarnation, counter, highestQueued, asking, null);
        }
    }

    /**
     * A hint to a proposer that was told {@link Held}: the lease is free again.
     *
     * @param ahead how many other proposers have waited longer at this acceptor
     */
    record Released(String resource, int ahead) implements Answer {}

    /**
     * To {@link Nominate}: a hint.
     *
     * @param waiting the nodes that wait here, of those that were asked about
     */
    record Nominated(String resource, long question, List<Candidate> waiting) implements Answer {

        /** The most candidates that an acceptor names. */
        public static final int MOST = 80;

        public Nominated {
            waiting = List.copyOf(waiting);
        }
    }
}
