package io.paxoslease.simulation;

import io.paxoslease.Lease;
import io.paxoslease.protocol.Generation;
import java.util.List;
import java.util.stream.IntStream;

/**
 * After the faults: the network delivers soon and in full, every machine runs, every transport tells the truth. Wall clocks
 * stay as they are, but in Flease, where they are set right. Now somebody has to hold the lease within a bound, and then everybody in turn.
 *
 * <p>The bound, with every duration that a node measures divided by 1 - rho, since its clock may be that slow:
 *
 * <ol>
 *   <li>what was under way may still arrive, {@code longestDelay}, and leave a record or be a message of an abandoned attempt;
 *   <li>an acceptor that has just started, or has just found that it may have forgotten, is silent for D_Q; a record of a
 *       holder that is gone excludes others for D_A(T), at most D_Q. Both run at the same time: D_Q;
 *   <li>a waiter that was told how long another would hold it waits as long by its own clock, D_Q or ten seconds at most, and
 *       five milliseconds more ({@code Backoff.untilFree}): D_Q + 5 ms;
 *   <li>then each attempt takes two rounds at most, each {@code Backoff.round} (an eighth of the lease time, 20 ms to 1 s), and
 *       is followed by at most the longest wait after silence (a quarter of the lease time, 25 ms to 500 ms), which is above
 *       the longest wait after a duel. Learning the acceptors' time costs two attempts, a request that stood in the line
 *       before costs one, and waits after duels double up to an eighth of the lease time: {@code TRIES} attempts. That number
 *       is chosen, not derived: waits after duels are random, so no number is certain, only far too large;
 *   <li>in Flease, D_Q is of M + epsilon, and clocks are compared before anybody takes part: {@code COMPARED};
 *   <li>where members change, a guard may be silent for what another configuration could have granted until everything healed;
 *   <li>when everybody wants it, each holds it for the user's time, and each hand-over costs at most the tries above.
 * </ol>
 */
final class Recovery {

    private static final long MILLI = 1_000_000;
    private static final long SOON = MILLI / 2;
    private static final int TRIES = 12;
    /** Until clocks are compared again: every second at the latest, and what went before may have been lost. */
    private static final long COMPARED = 2_500 * MILLI;

    private final World world;
    private final List<SimulatedNode> nodes;
    private final List<User> users;
    private final SimulatedNetwork network;
    private final double slowest;
    /** Users of nodes that run in the end. */
    private List<User> served = List.of();
    /** What everybody is to run in the end. */
    private Generation last;

    Recovery(World world, List<SimulatedNode> nodes, List<User> users, SimulatedNetwork network) {
        this.world = world;
        this.nodes = nodes;
        this.users = users;
        this.network = network;
        this.last = world.scenario().firstFile();
        this.slowest = 1 / (1 - world.scenario().drift());
    }

    void run() {
        heal();
        long healedAt = world.now();
        if (!world.scenario().heals()) {
            world.agenda().runUntil(world.now() + world.scenario().maxLeaseNanos());
            seal(healedAt);
            return;
        }
        served = IntStream.range(0, nodes.size())
                .filter(node -> nodes.get(node).life() != null)
                .mapToObj(users::get)
                .toList();
        User first = served.get(world.random().nextInt(served.size()));
        int before = grants();
        first.want(world.resources().get(0));
        long bound = somebodyHolds();
        long end = world.now() + bound;
        while (grants() == before && world.now() < end) {
            world.agenda().runUntil(world.now() + MILLI);
        }
        if (grants() == before) {
            throw new HistoryChecker.Violation("nobody was served within " + bound + " ns after everything healed");
        }
        serveAll();
        seal(healedAt);
    }

    /**
     * Everybody runs the last file, so that it is sealed: an acceptor answers after its silence, at the next question; and the same D_Q
     * later all of them have been there for long enough, as the question after that tells.
     */
    private void seal(long healedAt) {
        if (world.scenario().changes() == null) {
            return;
        }
        long silence = world.scenario().longestSilenceNanos();
        double parts = silence + Meetings.GUARDED + silence + 3.0 * silence / 4 + 10 * MILLI;
        long end = healedAt + (long) (2.0 * world.scenario().maxLeaseNanos() + parts * slowest);
        int number = last.number();
        while (world.now() < end && !allKnow(number)) {
            world.agenda().runUntil(world.now() + MILLI);
        }
        if (!allKnow(number)) {
            throw new HistoryChecker.Violation(
                    "generation %d was not sealed for everybody within %d ns".formatted(number, end - healedAt));
        }
    }

    private boolean allKnow(int number) {
        return nodes.stream()
                .map(SimulatedNode::life)
                .allMatch(life -> life == null || life.sealedAtLastLook() >= number);
    }

    /** Who is to run in the end gets the last file at once. */
    private void install(SimulatedNode node) {
        boolean stays = node.isClient() || last.everyone().contains(node.id());
        Life life = node.life();
        boolean movesOn = life == null
                || node.isClient()
                || life.generation().equals(last)
                || life.generation().isFollowedBy(last);
        if (!stays || !node.isInstalled() || !node.file().equals(last) || !movesOn) {
            node.crash();
            node.configure(stays ? last : null);
        }
    }

    private void heal() {
        world.heal();
        network.heal(SOON);
        if (world.scenario().changes() != null) {
            last = world.seals().lastFile();
        }
        for (SimulatedNode node : nodes) {
            if (world.scenario().isFlease()) {
                node.setRight();
            }
            if (world.scenario().changes() != null) {
                install(node);
            }
            node.start(node::goneAt);
            node.look();
            for (SimulatedNode other : nodes) {
                if (other != node && world.scenario().changes() == null) {
                    node.hint(other.id(), true);
                }
            }
        }
        for (int i = 0; i < nodes.size(); i++) {
            Life life = nodes.get(i).life();
            if (life == null) {
                continue;
            }
            for (Lease lease : nodes.get(i).leases()) {
                users.get(i).release(life, lease);
            }
            nodes.get(i).look();
        }
    }

    private void serveAll() {
        int[] before = served.stream().mapToInt(User::grants).toArray();
        served.forEach(user -> user.want(world.resources().get(0)));
        long bound = everybodyWasServed();
        long began = world.now();
        long end = began + bound;
        while (world.now() < end && !allServed(before)) {
            world.agenda().runUntil(world.now() + MILLI);
        }
        if (!allServed(before)) {
            throw new HistoryChecker.Violation(
                    "somebody was not served within " + bound + " ns though everybody else was");
        }
        world.statistics().served((double) (world.now() - began) / bound);
    }

    private boolean allServed(int[] before) {
        for (int i = 0; i < before.length; i++) {
            if (served.get(i).grants() == before[i]) {
                return false;
            }
        }
        return true;
    }

    private int grants() {
        return users.stream().mapToInt(User::grants).sum();
    }

    private long somebodyHolds() {
        Scenario scenario = world.scenario();
        long longestDelay = 2 * scenario.maxLeaseNanos();
        long guarded = scenario.changes() == null ? 0 : Meetings.GUARDED;
        long owed =
                scenario.isFlease() ? scenario.recoveryNanos() + COMPARED : scenario.longestSilenceNanos() + guarded;
        double silence = owed * slowest;
        double wait = (owed + 5 * MILLI) * slowest;
        return (long) (longestDelay + silence + wait + tries());
    }

    private double tries() {
        long lease = world.scenario().maxLeaseNanos();
        long round = Math.max(20 * MILLI, Math.min(1_000 * MILLI, lease / 8));
        long retry = Math.max(25 * MILLI, Math.min(500 * MILLI, lease / 4));
        return TRIES * (2 * round + retry) * slowest;
    }

    private long everybodyWasServed() {
        return (long) (served.size() * (User.HOLD_WHEN_HEALED + tries()));
    }
}
