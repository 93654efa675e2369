package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.LeaseView;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.NodeView;
import io.paxoslease.protocol.Note;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.paxos.PaxosMessage.Held;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes views of a node; changes nothing. */
final class Viewer {

    private static final Ballot NONE = new Ballot(0, new Incarnation(0, 0));

    private final NodeId self;
    private final Proposer proposer;
    private final @Nullable Acceptor acceptor;

    Viewer(NodeId self, Proposer proposer, @Nullable Acceptor acceptor) {
        this.self = self;
        this.proposer = proposer;
        this.acceptor = acceptor;
    }

    NodeView view(Generations generations, NodeView.@Nullable OtherConfiguration otherConfiguration, Reading now) {
        long silent = acceptor == null ? 0 : acceptor.quarantineRemainingNanos(now.moment());
        boolean isOver = acceptor != null && acceptor.isStarting() && generations.isOver();
        return new NodeView(
                proposer.counters().incarnation(),
                silent,
                true,
                List.of(),
                generations.view(isOver, now),
                otherConfiguration);
    }

    int addRecords(int place, int count, Reading now, Collection<String> resources) {
        return acceptor == null ? -1 : acceptor.addLive(place, count, now.moment(), resources);
    }

    @Nullable
    LeaseView lease(String resource, Reading now) {
        Claim claim = proposer.table().get(resource);
        if (claim != null) {
            return of(claim, now.moment());
        }
        AcceptorSlot slot = acceptor == null ? null : acceptor.live(resource, now.moment());
        return slot == null ? null : of(resource, slot, now.moment());
    }

    private LeaseView of(Claim claim, Moment now) {
        Tenure tenure = claim.tenure();
        if (tenure != null) {
            LeaseView.State status = tenure.suspect ? LeaseView.State.SUSPECT : LeaseView.State.HELD;
            long remaining = Math.max(0, now.nanosUntil(tenure.until().moment()));
            return new LeaseView(
                    claim.resource,
                    status,
                    self,
                    tenure.token,
                    claim.lastCounter,
                    remaining,
                    tenure.renewals(),
                    0,
                    !tenure.suspect,
                    NoteAdvice.wanted(claim));
        }
        AcceptorSlot slot = acceptor == null ? null : acceptor.live(claim.resource, now);
        if (slot != null) {
            Held held = slot.toHeld(claim.resource, NONE, 0, now, 0);
            return waiting(claim, held.ownerNode(), held.remainingNanos(), ageOf(slot, now), noteOf(claim.resource));
        }
        long age = claim.lastHeldAt() == null ? 0 : claim.lastHeldAt().nanosUntil(now);
        return claim.lastHeld() != null && claim.lastHeld().remainingNanos() > age
                ? waiting(
                        claim,
                        claim.lastHeld().ownerNode(),
                        claim.lastHeld().remainingNanos() - age,
                        age,
                        claim.lastHeld().note())
                : waiting(claim, null, -1, 0, Note.NONE);
    }

    private String noteOf(String resource) {
        return acceptor == null ? Note.NONE : acceptor.noteOf(resource);
    }

    private static LeaseView waiting(Claim claim, @Nullable NodeId owner, long remaining, long age, String note) {
        return new LeaseView(
                claim.resource, LeaseView.State.WAITING, owner, 0, claim.lastCounter, remaining, 0, age, false, note);
    }

    private LeaseView of(String resource, AcceptorSlot slot, Moment now) {
        Held held = slot.toHeld(resource, NONE, 0, now, 0);
        return new LeaseView(
                resource,
                LeaseView.State.KNOWN,
                held.ownerNode(),
                0,
                0,
                held.remainingNanos(),
                0,
                ageOf(slot, now),
                false,
                noteOf(resource));
    }

    private static long ageOf(AcceptorSlot slot, Moment now) {
        return Math.max(0, slot.heardAt().nanosUntil(now));
    }

    /** What to tell the operator of an acceptor that has moved. */
    static Effect moved(NodeId self, Generation to) {
        return new Effect.Notice(
                Effect.Notice.Level.INFO,
                "Node '%s' has moved to generation %d, with members %s, without a restart: what it has granted stays"
                        .formatted(self, to.number(), to.current().members()));
    }

    /** What to tell the operator of the mode that has just begun. */
    static Effect news(Generations generations, NodeId self) {
        Generation target = generations.used();
        MemberList before = target.previous();
        if (before != null && !generations.isDecided() && generations.isUsedSealed()) {
            return new Effect.Notice(
                    Effect.Notice.Level.INFO,
                    "Generation %d is sealed: majorities of both %s and %s decide until a majority of its members is known to know"
                            .formatted(
                                    target.number(),
                                    before.members(),
                                    target.current().members()));
        } else if (before != null && !generations.isDecided()) {
            return new Effect.Notice(
                    Effect.Notice.Level.INFO,
                    "The cell changes to generation %d: until it is sealed, majorities of both %s and %s decide"
                            .formatted(
                                    target.number(),
                                    before.members(),
                                    target.current().members()));
        }
        String text = "Generation %d is sealed: its members %s decide alone"
                .formatted(target.number(), target.current().members());
        boolean isLeftBehind = generations.own().get().number() < target.number()
                && generations.everyone().contains(self);
        return isLeftBehind
                ? new Effect.Notice(Effect.Notice.Level.WARN, text + leftBehind(generations, self))
                : new Effect.Notice(Effect.Notice.Level.INFO, text);
    }

    /** To a member that has not been restarted with the new configuration: what to do about it. */
    private static String leftBehind(Generations generations, NodeId self) {
        Generation target = generations.used();
        return target.current().members().contains(self)
                ? ". Node '%s' was started with generation %d and no longer votes: restart it with the configuration of generation %d"
                        .formatted(self, generations.own().get().number(), target.number())
                : ". Node '%s' is no longer a member: stop it, and leave nothing that starts it with its configuration of generation %d again"
                        .formatted(self, generations.own().get().number());
    }
}
