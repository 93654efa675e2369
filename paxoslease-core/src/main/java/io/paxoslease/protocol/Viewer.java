package io.paxoslease.protocol;

import io.paxoslease.protocol.Message.Held;
import java.util.ArrayList;
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

    NodeView view(int limit, Reading now) {
        List<LeaseView> leases = new ArrayList<>();
        for (Claim claim : proposer.claims()) {
            if (leases.size() < limit) {
                leases.add(of(claim, now.moment()));
            }
        }
        long silent = 0;
        if (acceptor != null) {
            silent = acceptor.quarantineRemainingNanos(now.moment());
            acceptor.forEachLive(now.moment(), (resource, slot) -> {
                if (leases.size() < limit && proposer.claim(resource) == null) {
                    leases.add(of(resource, slot, now.moment()));
                }
            });
        }
        return new NodeView(proposer.incarnation(), silent, leases);
    }

    @Nullable
    LeaseView lease(String resource, Reading now) {
        Claim claim = proposer.claim(resource);
        if (claim != null) {
            return of(claim, now.moment());
        }
        AcceptorSlot slot = acceptor == null ? null : acceptor.live(resource, now.moment());
        return slot == null ? null : of(resource, slot, now.moment());
    }

    private LeaseView of(Claim claim, Moment now) {
        Tenure tenure = claim.tenure;
        if (tenure != null) {
            LeaseView.State state = tenure.suspect ? LeaseView.State.SUSPECT : LeaseView.State.HELD;
            long remaining = Math.max(0, now.nanosUntil(tenure.until.moment()));
            return new LeaseView(
                    claim.resource, state, self, tenure.token, claim.lastCounter, remaining, tenure.renewals);
        }
        AcceptorSlot slot = acceptor == null ? null : acceptor.live(claim.resource, now);
        Held held = slot == null ? claim.lastHeld : slot.toHeld(claim.resource, NONE, 0, now);
        long since = slot != null || claim.lastHeldAt == null ? 0 : claim.lastHeldAt.nanosUntil(now);
        NodeId owner = null;
        long remaining = -1;
        if (held != null && held.remainingNanos() > since) {
            owner = held.ownerNode();
            remaining = held.remainingNanos() - since;
        }
        return new LeaseView(claim.resource, LeaseView.State.WAITING, owner, 0, claim.lastCounter, remaining, 0);
    }

    private LeaseView of(String resource, AcceptorSlot slot, Moment now) {
        Held held = slot.toHeld(resource, NONE, 0, now);
        return new LeaseView(resource, LeaseView.State.KNOWN, held.ownerNode(), 0, 0, held.remainingNanos(), 0);
    }
}
