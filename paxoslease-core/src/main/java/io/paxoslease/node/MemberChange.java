package io.paxoslease.node;

import io.paxoslease.InvalidOptionException;
import io.paxoslease.Membership;
import io.paxoslease.MembershipChange;
import io.paxoslease.MembershipChangeException;
import io.paxoslease.MembershipChangeException.Reason;
import io.paxoslease.MembershipStore;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.NodeView;
import io.paxoslease.protocol.Printable;
import java.io.IOException;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Changes the members of the cell: stores the next generation (section 9, R5, R6). On the caller's thread, and blocks while the store does. */
final class MemberChange {

    private static final Logger log = LoggerFactory.getLogger(MemberChange.class);

    private final NodeRuntime node;
    private final PaxosLeaseOptions options;
    private final MembershipStore store;

    private MemberChange(NodeRuntime node, PaxosLeaseOptions options, MembershipStore store) {
        this.node = node;
        this.options = options;
        this.store = store;
    }

    /**
     * @param node null: it is stopped
     * @param options what it runs with
     */
    static MemberChange of(@Nullable NodeRuntime node, PaxosLeaseOptions options) {
        MembershipStore store = options.membershipStore();
        if (store == null) {
            throw refused(
                    Reason.NO_STORE,
                    "Node '%s' has no store of the members, without which they change by restarts only, one node after the other, with the next generation: give every node a membershipStore, or do that"
                            .formatted(options.nodeId()));
        }
        if (node == null) {
            throw RefusedRequest.stopped();
        }
        return new MemberChange(node, options, store);
    }

    private static MembershipChangeException refused(Reason reason, String message) {
        return new MembershipChangeException(reason, message, null);
    }

    /** Stores what follows, which is answered. */
    Membership to(MembershipChange change) {
        Membership now = read();
        checkSealed(now);
        Membership next = now.whenSealed().followedBy(change);
        checkTimes(now, next);
        // Between reading and writing, a member may have stored that what was read is sealed: that is no other change.
        if (!replaces(now, next) && (now.sealed() || !replaces(now.whenSealed(), next))) {
            throw refused(
                    Reason.CONFLICT,
                    "Another node has stored another change at the same time, in the %s: look at the members that it leads to, and change them again once that generation is sealed"
                            .formatted(store.describe()));
        }
        log.info(
                "Node '{}' has stored generation {} of cell '{}' in the {}: {}",
                options.nodeId(),
                next.generation().number(),
                options.cell(),
                Printable.text(store.describe()),
                StoredMembership.text(ConfiguredGeneration.of(next)));
        return next;
    }

    private Membership read() {
        Membership stored;
        try {
            stored = store.read();
        } catch (IOException | RuntimeException e) { // the user's code, or a driver's
            throw failed("read", e);
        }
        if (stored == null) {
            throw refused(
                    Reason.STORE,
                    "The %s has lost the members of cell '%s': a member that knows its generation to be sealed writes them back within three seconds. Find out what has deleted them, and ask again then"
                            .formatted(store.describe(), options.cell()));
        }
        return stored;
    }

    private boolean replaces(Membership now, Membership next) {
        try {
            return store.replace(now, next);
        } catch (IOException | RuntimeException e) {
            throw failed("written", e);
        }
    }

    private MembershipChangeException failed(String what, Exception e) {
        return new MembershipChangeException(
                Reason.STORE,
                "The %s cannot be %s: %s. Correct that, look at the status whether the change is under way, and ask again if it is not"
                        .formatted(store.describe(), what, Printable.text(e.getMessage())),
                e);
    }

    /** Leases are timed by what a process was started with. */
    private static void checkTimes(Membership now, Membership next) {
        if (!next.maxLeaseTime().equals(now.maxLeaseTime()) || next.clockDrift() != now.clockDrift()) {
            throw new InvalidOptionException(
                    next.clockDrift() == now.clockDrift() ? "maxLeaseTime" : "clockDrift",
                    next.clockDrift() == now.clockDrift() ? next.maxLeaseTime() : next.clockDrift(),
                    "does not change while nodes run: configure generation %d with it, and restart one node after the other"
                            .formatted(next.generation().number()));
        }
    }

    /** R5: the last change is over, as far as this member knows. */
    private void checkSealed(Membership stored) {
        if (options.isClient() || !stored.peers().containsKey(options.nodeId())) {
            throw refused(
                    Reason.NOT_A_MEMBER,
                    "Node '%s' is not one of the members, %s: ask one of them for the change"
                            .formatted(options.nodeId(), stored.peers().keySet()));
        }
        NodeView.Membership view = Objects.requireNonNull(
                node.ask(machine -> machine.view(node.clock().read())).membership());
        int number = stored.generation().number();
        if (number < view.configured()) {
            throw refused(
                    Reason.STORE,
                    "The %s has generation %d of cell '%s', and node '%s' runs generation %d: it was rolled back. A member that knows that generation to be sealed writes it back within three seconds. Find out what has rolled it back, and ask again then"
                            .formatted(store.describe(), number, options.cell(), options.nodeId(), view.configured()));
        }
        if (number != view.configured()) {
            throw refused(
                    Reason.UNDER_WAY,
                    "Generation %d is stored, and node '%s' is at generation %d: wait until it has moved; if it does not, its status and its log say why"
                            .formatted(number, options.nodeId(), view.configured()));
        }
        Generation of = ConfiguredGeneration.of(stored);
        if (!node.ask(machine -> of.equals(machine.generation()))) {
            throw refused(
                    Reason.UNDER_WAY,
                    "Another content of generation %d is stored than node '%s' runs: correct its configuration, and restart it"
                            .formatted(number, options.nodeId()));
        }
        if (number > node.ask(LeaseAlgorithm::decidingGeneration)) { // the view shows what is not believed, too
            throw refused(
                    Reason.UNDER_WAY,
                    "Generation %d is not sealed yet, which takes the longest lease and more with a majority of the members before it%s: wait for that"
                            .formatted(
                                    number,
                                    view.missing().isEmpty() ? "" : ", and these are missing: " + view.missing()));
        }
        Optional<Generation> next = node.ask(machine -> Optional.ofNullable(machine.confirmedNext()));
        if (next.isPresent()) { // another content of it would be a second list beside the one that members run
            throw refused(
                    Reason.UNDER_WAY,
                    "Members run generation %d, and the %s has generation %d: it was deleted or rolled back, or the next one was configured by hand. Wait until it is sealed, then a member writes it back; if no member runs it now, restart this node and ask again"
                            .formatted(next.get().number(), store.describe(), number));
        }
    }
}
