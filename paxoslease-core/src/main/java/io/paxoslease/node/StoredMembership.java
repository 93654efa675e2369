package io.paxoslease.node;

import io.paxoslease.Membership;
import io.paxoslease.MembershipStore;
import io.paxoslease.NodeStartException;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.Printable;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which generation a node starts with that has a {@link MembershipStore} (section 9): never one below the stored one. Everything here blocks
 * while the store does.
 */
final class StoredMembership {

    private static final Logger log = LoggerFactory.getLogger(StoredMembership.class);
    /** Each lost race is another node's success, so more of them are a store that is broken. */
    private static final int MOST_RACES = 64;

    private final PaxosLeaseOptions options;
    private final MembershipStore store;
    private final Membership configured;

    private StoredMembership(PaxosLeaseOptions options, MembershipStore store) {
        this.options = options;
        this.store = store;
        this.configured = of(options);
    }

    /** What the node is configured with, or has moved to; not known to be sealed. */
    static Membership of(PaxosLeaseOptions options) {
        return new Membership(
                options.generation(), options.peers(), options.maxLeaseTime(), options.clockDrift(), false);
    }

    /**
     * What the node is to run.
     *
     * @throws NodeStartException when the store cannot be used, or says that this node must not start
     */
    static PaxosLeaseOptions resolve(PaxosLeaseOptions options) {
        MembershipStore store = options.membershipStore();
        return store == null ? options : new StoredMembership(options, store).resolve();
    }

    private PaxosLeaseOptions resolve() {
        for (int races = 0; races < MOST_RACES; races++) {
            Membership stored = read();
            Membership agreed = stored == null ? configured : agreed(stored);
            if (agreed.equals(stored) || options.isClient() || replaces(stored, agreed)) {
                PaxosLeaseOptions resolved = with(agreed);
                tell(stored, agreed);
                return resolved;
            }
        }
        throw refused(
                "refuses each change, as if another node had been faster",
                "Look at what else writes to it; each cell needs a place of its own there.");
    }

    private @Nullable Membership read() {
        try {
            return store.read();
        } catch (IOException | RuntimeException e) { // the user's code, or a driver's
            throw failed("cannot read", e);
        }
    }

    private boolean replaces(@Nullable Membership stored, Membership agreed) {
        try {
            return store.replace(stored, agreed);
        } catch (IOException | RuntimeException e) {
            throw failed("cannot write", e);
        }
    }

    private NodeStartException failed(String what, Exception e) {
        return StoreFailure.of(
                "Node '%s' %s the members of its cell, which are kept in the %s"
                        .formatted(options.nodeId(), what, store.describe()),
                e,
                "Correct that and start it again: only the store says whether this node's configuration is out of date.");
    }

    /** What this node runs beside what is stored; to be stored if it is something else. */
    private Membership agreed(Membership stored) {
        int theirs = stored.generation().number();
        int ours = configured.generation().number();
        Generation of = ConfiguredGeneration.of(stored);
        Generation wanted = ConfiguredGeneration.of(configured);
        if (theirs > ours) {
            return stored;
        } else if (wanted.equals(of)) {
            return configured(stored.sealed(), stored.previousSealed()); // addresses are as configured
        } else if (theirs == ours) {
            throw refused(
                    "has another content of generation %d: %s there, %s here".formatted(ours, text(of), text(wanted)),
                    "Correct this node's configuration; a change needs the next number: generation %d, with the members of now as previousPeers."
                            .formatted(ours + 1));
        } else if (of.isFollowedBy(wanted)) {
            checkSealed(stored);
            return configured(false, stored.sealed());
        }
        throw refused(
                "has generation %d, which this node's generation %d does not follow: %s there, %s here"
                        .formatted(theirs, ours, text(of), text(wanted)),
                theirs + 1 == ours
                        ? "List the members of generation %d, with their times, as previousPeers.".formatted(theirs)
                        : "Generations follow one by one, each after the seal of the one before: configure generation %d for the next change."
                                .formatted(theirs + 1));
    }

    /** R5; a client has no say. */
    private void checkSealed(Membership stored) {
        int number = stored.generation().number();
        if (!stored.sealed() && !options.isClient()) {
            throw refused(
                    "does not say yet that generation %d is sealed, and this node is configured with the one after it"
                            .formatted(number),
                    "Wait for the seal, which a member writes there within three seconds after it has found it, and start this node again; start it with generation %d if that needs this node."
                            .formatted(number));
        }
    }

    private Membership configured(boolean sealed, boolean previousSealed) {
        return new Membership(
                configured.generation(),
                configured.peers(),
                configured.maxLeaseTime(),
                configured.clockDrift(),
                sealed,
                previousSealed);
    }

    private NodeStartException refused(String problem, String action) {
        return new NodeStartException(
                "Node '%s' does not start: the %s %s.".formatted(options.nodeId(), store.describe(), problem),
                action,
                null);
    }

    /** For a sentence. */
    static String text(Generation generation) {
        MemberList previous = generation.previous();
        return text(generation.current()) + (previous == null ? " after none" : " after " + text(previous));
    }

    private static String text(MemberList list) {
        return "%s (longest lease %s, clock drift %s)"
                .formatted(list.members(), list.maxLeaseTime(), list.clockDrift());
    }

    private void tell(@Nullable Membership stored, Membership agreed) {
        int number = agreed.generation().number();
        if (number > configured.generation().number()) {
            log.info(
                    "Node '{}' is configured with generation {} of cell '{}', and the {} has generation {}: it runs that one, {}",
                    options.nodeId(),
                    configured.generation().number(),
                    options.cell(),
                    Printable.text(store.describe()),
                    number,
                    text(ConfiguredGeneration.of(agreed)));
        } else if (!options.isClient() && (stored == null || stored.generation().number() < number)) {
            log.info(
                    "Node '{}' has stored generation {} of cell '{}' in the {}: {}",
                    options.nodeId(),
                    number,
                    options.cell(),
                    Printable.text(store.describe()),
                    text(ConfiguredGeneration.of(agreed)));
        }
    }

    /** The options of this node with those members and times; its lease time is the longest one at most. */
    private PaxosLeaseOptions with(Membership agreed) {
        boolean isListed = agreed.everyone().containsKey(options.nodeId());
        int number = agreed.generation().number();
        if (isListed == options.isClient()) {
            throw isListed
                    ? refused(
                            "lists it as a member of generation %d, and it is a client".formatted(number),
                            "List it among its own peers and make it a member, or give the client another node id.")
                    : refused(
                            "has generation %d, and this node is no member of it: %s"
                                    .formatted(number, text(ConfiguredGeneration.of(agreed))),
                            "Add it first, at a running member: NodeAdmin.changeMembers, or POST /actuator/leases/members; or run it as a client.");
        }
        Duration leaseTime = options.leaseTime();
        if (leaseTime.compareTo(agreed.maxLeaseTime()) > 0) {
            log.warn(
                    "The longest lease of cell '{}' is {}: this node's lease time is that, and not {}",
                    options.cell(),
                    agreed.maxLeaseTime(),
                    leaseTime);
        }
        return options.toBuilder().membership(agreed).build();
    }
}
