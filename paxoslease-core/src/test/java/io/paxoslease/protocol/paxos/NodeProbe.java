package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.paxos.PaxosMessage.Held;
import java.lang.reflect.Field;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Looks into a node from outside and changes nothing. */
public final class NodeProbe {

    private static final Ballot NONE = new Ballot(0, new Incarnation(0, 0));

    private final @Nullable Acceptor acceptor;
    private final Proposer proposer;

    /**
     * A live record of an acceptor.
     *
     * @param remainingNanos how long it will exclude others yet, on the acceptor's clock
     */
    public record Live(Ballot ballot, long remainingNanos) {}

    public NodeProbe(Node node) {
        this.acceptor = (Acceptor) read(node, "acceptor");
        this.proposer = (Proposer) Objects.requireNonNull(read(node, "proposer"));
    }

    private static @Nullable Object read(Object from, String name) {
        try {
            return field(from.getClass(), name).get(from);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("The field " + name + " cannot be read", e);
        }
    }

    private static Field field(Class<?> type, String name) {
        try {
            Field field = type.getDeclaredField(name);
            field.setAccessible(true);
            return field;
        } catch (NoSuchFieldException e) {
            throw new IllegalStateException(type + " has no field " + name, e);
        }
    }

    /** Null when it is not one of the acceptors. */
    @Nullable
    Acceptor acceptor() {
        return acceptor;
    }

    /** Whether this node is one of the acceptors. */
    public boolean isAcceptor() {
        return acceptor != null;
    }

    /** The acceptor's live record; null when there is none. */
    public @Nullable Live live(String resource, Moment now) {
        AcceptorSlot slot = acceptor == null ? null : acceptor.live(resource, now);
        if (slot == null) {
            return null;
        }
        Held held = slot.toHeld(resource, NONE, 0, now, 0);
        return new Live(held.owner(), held.remainingNanos());
    }

    /** How long the acceptor will be silent yet for what it may have forgotten. */
    public long silentNanos(Moment now) {
        Moment end = acceptor == null ? null : rules(acceptor).quarantineEnd();
        return end == null ? 0 : Math.max(0, now.nanosUntil(end));
    }

    private static AcceptorRules rules(Acceptor acceptor) {
        return (AcceptorRules) Objects.requireNonNull(read(acceptor, "rules"));
    }

    /** Up to which counter the acceptor has promised to take nothing from others. */
    public long promised(String resource) {
        if (acceptor == null) {
            return 0;
        }
        return rules(acceptor).promisedCounter(resource, new Reading(new Moment(0), 0));
    }

    /** In whose name the tenure with that token is held; null when there is no such tenure. */
    public @Nullable Incarnation incarnationOf(String resource, long token) {
        Claim claim = proposer.table().get(resource);
        if (claim == null || claim.tenure() == null || claim.tenure().token != token) {
            return null;
        }
        return claim.incarnation;
    }

    /** Whether the answers of that attempt still count. */
    public boolean isInFlight(String resource, long attempt) {
        Claim claim = proposer.table().get(resource);
        return claim != null && claim.attempt() != null && claim.attempt().id == attempt;
    }

    private static boolean isInRound(@Nullable RenewalBatch batch) {
        return batch != null && batch.timeout != null;
    }

    /** Whether an attempt to renew or confirm the tenure is in flight. */
    public boolean isRenewing(String resource) {
        Claim claim = proposer.table().get(resource);
        return claim != null && claim.tenure() != null && (claim.attempt() != null || isInRound(claim.batch()));
    }
}
