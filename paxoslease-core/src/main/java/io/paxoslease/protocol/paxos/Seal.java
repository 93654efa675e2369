package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Whether a generation is sealed (section 9, R4): a majority of the list before it has been at it for as long as anything that this
 * majority granted before can last. From then on no majority of the old list alone can form, and none is believed in. Not thread-safe.
 */
final class Seal {

    /** What one acceptor of the old list is known to have been: at the generation all the time between two moments. */
    private static final class Standing {
        private final Incarnation boot;
        private final Reading since;
        private Reading until;

        Standing(Incarnation boot, Reading since, Reading until) {
            this.boot = boot;
            this.since = since;
            this.until = until;
        }
    }

    private final Quorum old;
    private final long ageNanos;
    /**
     * For how long an answer tells that the acceptor has not gone back, and served again: one that goes back keeps the quarantine of the
     * settings before. Half of that is left to hear of the seal. Measured with both clocks, since a pause of this machine makes the monotonic one
     * show too little.
     */
    private final long freshNanos;

    private final Map<NodeId, Standing> standings = new HashMap<>();

    /** @param generation one that follows another */
    Seal(Generation generation) {
        MemberList previous = Objects.requireNonNull(generation.previous());
        this.old = new Quorum(previous.members());
        this.ageNanos = generation.timing(false).quarantineNanos();
        this.freshNanos = previous.maxLeaseTime().toNanos() / 2;
    }

    /** D_Q: how long the majority has to have been at it. Of two settings the longer one. */
    long ageNanos() {
        return ageNanos;
    }

    /**
     * An acceptor has said that it is at the generation, or at the next one. It was when it said so, which is not after now and not before
     * it was asked; and it has been all the time, if it is the process that said so before.
     *
     * @param boot names what the acceptor remembers since: it loses its memory and its generation together
     * @param askedAt when the question was sent that it answers
     */
    void heard(NodeId from, Incarnation boot, Reading askedAt, Reading now) {
        if (!old.contains(from)) {
            return;
        }
        Standing known = standings.get(from);
        if (known == null || !known.boot.equals(boot)) {
            standings.put(from, new Standing(boot, now, askedAt));
        } else {
            known.until = known.until.moment().isBefore(askedAt.moment()) ? askedAt : known.until;
        }
    }

    /** It is not at the generation: what it has said before counts no more. */
    void isElsewhere(NodeId from) {
        standings.remove(from);
    }

    /** Whether it has been there long enough by now, and has said so lately: it may go back later. */
    boolean isAged(Reading now) {
        for (Standing last : standings.values()) {
            long majority = 0;
            for (Map.Entry<NodeId, Standing> entry : standings.entrySet()) {
                Standing standing = entry.getValue();
                boolean before = !last.since.moment().isBefore(standing.since.moment());
                boolean after = last.since.moment().nanosUntil(standing.until.moment()) >= ageNanos;
                boolean isThere = standing.until.longestNanosUntil(now) <= freshNanos;
                majority |= before && after && isThere ? 1L << old.indexOf(entry.getKey()) : 0;
            }
            if (old.isMajority(majority)) {
                return true;
            }
        }
        return false;
    }

    /** Who of the old list is not known to be at it; for people. */
    List<NodeId> missing() {
        List<NodeId> missing = new ArrayList<>(old.acceptors());
        missing.removeAll(standings.keySet());
        return missing;
    }

    /** How long until it can be aged at the earliest, if all that are at it stay; -1 while they are no majority of the old list; for people. */
    long remainingNanos(Reading now) {
        List<Moment> since = new ArrayList<>();
        standings.values().forEach(standing -> since.add(standing.since.moment()));
        since.sort((a, b) -> a.isBefore(b) ? -1 : b.isBefore(a) ? 1 : 0);
        return since.size() < old.majority()
                ? -1
                : Math.max(
                        0, now.moment().nanosUntil(since.get(old.majority() - 1).plusNanos(ageNanos)));
    }
}
