package io.paxoslease.simulation;

import io.paxoslease.Lease;
import io.paxoslease.LossReason;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.simulation.HistoryChecker.Belief;
import java.util.ArrayList;
import java.util.List;

/**
 * Tells the checker when each lease of one node is believed in: when {@link Lease#isHeld()} would answer true if somebody
 * asked.
 *
 * <p>That covers every instant, not only those at which something happens. What {@code isHeld()} answers depends on the
 * lease's state and the node's last beat, which change in events of this node only, and on its clocks. After each event of
 * this node the instant is found at which the answer would turn false if nothing more happened to the node, by asking the
 * lease itself on clocks that show later times; the belief is reported as lasting until then. Between two events the answer
 * only falls: the deadlines pass, the beat gets overdue. It may rise in one case, after a clock was set or stood still,
 * when the tolerance of the node's clock guard outgrows the difference. Then later times are tried as well, half a
 * millisecond apart, which is less than the margin of a lease; the lease counts as believed in from now on.
 */
final class BeliefWatch {

    private static final long STEP = 500_000;

    private final World world;
    private final SimulatedNode node;
    private final List<Watched> leases = new ArrayList<>();
    private long tenures;

    private static final class Watched {
        private final Lease lease;
        private final int resource;
        private final long tenure;
        private long incarnation = -1;
        private boolean believed;
        private boolean over;
        private boolean known;
        private boolean suspected;
        /** Until when, in real time and by the node's clock; that is known exactly, or may yet grow. */
        private long until;

        private long endLocal;
        private boolean exact;

        Watched(Lease lease, int resource, long tenure) {
            this.lease = lease;
            this.resource = resource;
            this.tenure = tenure;
        }
    }

    BeliefWatch(World world, SimulatedNode node) {
        this.world = world;
        this.node = node;
    }

    void add(Lease lease) {
        long tenure = ++tenures * world.scenario().nodes() + node.index();
        Watched watched = new Watched(lease, world.resources().indexOf(lease.resource()), tenure);
        leases.add(watched);
        lease.onLost((lost, reason) -> lost(watched, reason));
    }

    private void lost(Watched watched, LossReason reason) {
        watched.over = true;
        if (reason == LossReason.FAILED) {
            world.broken(node.index(), "its leases are over");
        }
        world.note(node.index(), "is told: lost, " + reason);
        Changes changes = world.scenario().changes();
        if (changes != null && changes.calm() && reason != LossReason.STOPPED && !world.isHealed()) {
            world.broken(node.index(), "it lost " + watched.lease + " without a fault, " + reason);
        }
        world.statistics()
                .met(
                        switch (reason) {
                            case EXPIRED -> Situation.LOSS_BY_EXPIRY;
                            case SUSPENDED -> Situation.LOSS_BY_SUSPENSION;
                            case CLOCK -> Situation.LOSS_BY_CLOCK;
                            default -> Situation.LOSS_BY_STOP;
                        });
    }

    /** Its user has released it: it is watched no more, once it says so itself. */
    void released(Lease lease) {
        for (Watched watched : leases) {
            watched.over |= watched.lease == lease;
        }
    }

    List<Lease> open() {
        List<Lease> open = new ArrayList<>();
        for (Watched watched : leases) {
            if (!watched.over) {
                open.add(watched.lease);
            }
        }
        return open;
    }

    /** Reports what is not believed any more. */
    void lookForEnds() {
        if (leases.isEmpty()) {
            return;
        }
        node.clock().pretend(world.now());
        for (int i = leases.size() - 1; i >= 0; i--) {
            Watched watched = leases.get(i);
            boolean held = watched.lease.isHeld();
            if (watched.believed && !held) {
                stop(watched);
                if (!watched.over && watched.until > world.now()) {
                    watched.suspected = true;
                    world.statistics().met(Situation.SUSPICION);
                }
            }
            if (watched.over && !held) {
                leases.remove(i);
            }
        }
        node.clock().pretend(-1);
    }

    private void stop(Watched watched) {
        watched.believed = false;
        world.checker().stopsBelieving(watched.tenure, watched.resource);
        world.note(node.index(), "holds no more: " + watched.lease);
    }

    /** Reports what is believed, where that is new. */
    void lookForBeginnings() {
        if (leases.isEmpty()) {
            return;
        }
        SimulatedClock clock = node.clock();
        clock.pretend(world.now());
        for (Watched watched : leases) {
            long remaining = watched.lease.remaining().toNanos();
            long endLocal = clock.local() + remaining;
            boolean same = watched.believed && watched.exact && watched.endLocal == endLocal;
            if (remaining > 0 && !same) {
                long end = clock.realOf(endLocal);
                clock.pretend(end - 1);
                watched.exact = watched.lease.isHeld();
                watched.endLocal = endLocal;
                report(watched, watched.exact ? end : lastInstant(watched, world.now(), end - 1) + 1);
            } else if (remaining == 0 && clock.isDisturbed()) {
                lookAhead(watched);
            }
            clock.pretend(world.now());
        }
        clock.pretend(-1);
    }

    /** The lease is held at one time and not at the other: the last instant at which it is. */
    private long lastInstant(Watched watched, long held, long notHeld) {
        long from = held;
        long to = notHeld;
        while (to - from > 1) {
            long middle = (from + to) >>> 1;
            node.clock().pretend(middle);
            if (watched.lease.isHeld()) {
                from = middle;
            } else {
                to = middle;
            }
        }
        return from;
    }

    private void lookAhead(Watched watched) {
        long last = world.now() + 2 * world.scenario().maxLeaseNanos();
        for (long real = world.now() + STEP; real < last && !watched.over; real += STEP) {
            node.clock().pretend(real);
            if (watched.lease.isHeld()) {
                watched.exact = false;
                report(watched, lastInstant(watched, real, last) + 1);
                return;
            }
        }
    }

    private void report(Watched watched, long until) {
        if (watched.believed && watched.until == until) {
            return;
        }
        if (!watched.known) {
            watched.known = true;
            world.statistics().met(Situation.GRANT);
            int mode = node.memory().mode();
            if (mode > Quorum.FIRST) {
                world.statistics().met(mode % 2 == 1 ? Situation.JOINT_GRANT : Situation.GRANT_AFTER_THE_SEAL);
            }
            if (node.index() >= world.scenario().acceptors()) {
                world.statistics().met(Situation.EXTRA_PROPOSER_HOLDS);
            }
        } else if (watched.suspected && !watched.believed) {
            world.statistics().met(Situation.CONFIRMATION);
        } else if (watched.until < until) {
            world.statistics().met(Situation.RENEWAL);
        }
        if (watched.incarnation < 0) {
            watched.incarnation = node.memory().incarnationOf(watched.lease.resource(), watched.lease.fencingToken());
        }
        watched.believed = true;
        watched.until = until;
        world.statistics().mix(watched.lease.fencingToken() ^ until);
        Belief belief = new Belief(
                watched.tenure,
                node.index(),
                watched.resource,
                watched.lease.fencingToken(),
                watched.incarnation,
                until);
        if (world.trace().isOn()) {
            world.note(node.index(), "HOLDS: " + belief);
        }
        world.checker().believes(world.now(), belief);
    }

    /** Ends in real time have to be found again. */
    void clockChanged() {
        leases.forEach(watched -> watched.exact = false);
    }

    void suspended() {
        for (Watched watched : leases) {
            if (watched.believed) {
                stop(watched);
            }
        }
    }

    /** The process goes on after a pause. */
    void resumed() {
        for (Watched watched : leases) {
            if (watched.believed && watched.until <= world.now()) {
                world.statistics().met(Situation.EXPIRY_DURING_PAUSE);
            }
        }
    }

    /** The process is dead. */
    void forgetAll() {
        leases.forEach(watched -> {
            if (watched.believed) {
                stop(watched);
            }
        });
        leases.clear();
    }
}
