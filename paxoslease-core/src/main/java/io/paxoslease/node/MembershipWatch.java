package io.paxoslease.node;

import io.paxoslease.GenerationOptions;
import io.paxoslease.Membership;
import io.paxoslease.MembershipStore;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Printable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks every few seconds, on a thread of its own, whether the store has a generation that follows the node's, and tells the node (section 9,
 * R2). No lease waits for it: while the store cannot be read, the node goes on as it is.
 */
final class MembershipWatch implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(MembershipWatch.class);
    private static final long PERIOD_MILLIS = 2_000;
    /** Some ten minutes. */
    private static final int LOOKS_UNTIL_TOLD_AGAIN = 270;

    private final NodeRuntime node;
    private final MembershipStore store;
    private final Semaphore wake = new Semaphore(0);
    private final Thread thread;
    private volatile PaxosLeaseOptions options;
    private int announced;
    private String told = "";
    private int looksSinceTold;
    private int looks;
    /** At which look this node has last told that it had written something back. */
    private int lookThatWrote = -LOOKS_UNTIL_TOLD_AGAIN;
    /** At which look the store has last not taken what was written back. */
    private int lookThatLost = -LOOKS_UNTIL_TOLD_AGAIN;

    private @Nullable Membership latest;

    private MembershipWatch(NodeRuntime node, MembershipStore store) {
        this.node = node;
        this.store = store;
        this.options = node.options();
        this.thread =
                Threads.daemon("paxoslease-" + options.nodeId() + "-members").newThread(this);
    }

    /** Null for a node without a store, and for a client, which hears from the members. */
    static @Nullable MembershipWatch start(NodeRuntime node) {
        MembershipStore store = node.options().membershipStore();
        if (store == null || node.options().isClient()) {
            return null;
        }
        MembershipWatch watch = new MembershipWatch(node, store);
        watch.thread.start();
        return watch;
    }

    /** Does not wait for the thread, which may be held up by the store. */
    void stop() {
        thread.interrupt();
    }

    /** What is stored may have changed: looks now. Any thread. */
    void look() {
        wake.release();
    }

    /** What the node was started with, or has moved to since. */
    PaxosLeaseOptions options() {
        return options;
    }

    @Override
    public void run() {
        try {
            while (!node.isOver()) {
                lookOnce();
                long millis = PERIOD_MILLIS + ThreadLocalRandom.current().nextLong(PERIOD_MILLIS / 4);
                if (wake.tryAcquire(millis, TimeUnit.MILLISECONDS)) {
                    wake.drainPermits();
                }
            }
        } catch (InterruptedException stopped) {
            log.debug("Node '{}' stops, and looks for changes of the members no more", options.nodeId());
        }
    }

    private void lookOnce() {
        looks++;
        String problem;
        try {
            problem = follow(store.read());
        } catch (IOException
                | RuntimeException
                | Error e) { // the user's code, a driver's, or the node has just stopped
            problem =
                    "the members of cell '%s' cannot be read from the %s, and a change of them proceeds without this node: %s"
                            .formatted(options.cell(), store.describe(), Printable.text(e.getMessage()));
        }
        tell(problem);
    }

    /** Once, and then from time to time while it lasts. */
    private void tell(String problem) {
        boolean isNews = !problem.equals(told);
        looksSinceTold = isNews ? 0 : looksSinceTold + 1;
        boolean isDue = isNews || (!problem.isEmpty() && looksSinceTold % LOOKS_UNTIL_TOLD_AGAIN == 0);
        if (isDue && !node.isOver()) {
            if (!problem.isEmpty()) {
                log.warn("Node '{}': {}; looking again", options.nodeId(), Printable.line(problem));
            } else {
                log.info(
                        "Node '{}': the {} and this node agree again",
                        options.nodeId(),
                        Printable.text(store.describe()));
            }
            told = problem;
        }
    }

    /** What the store had last, of the highest number. */
    private void remember(Membership stored) {
        Membership last = latest;
        if (last == null || last.generation().number() <= stored.generation().number()) {
            latest = stored;
        }
    }

    /**
     * The store has forgotten the generation that the cell runs, as after it was deleted or its backup was restored: a member that starts by it
     * may do so below the generation that has been sealed. A member that knows the seal of its generation, and of nothing later, writes it back,
     * over what it has read and nothing else. Answers what is wrong, if that is not mended by it.
     */
    private String forgotten(@Nullable Membership stored, Generation own) {
        int sealed = node.ask(LeaseAlgorithm::sealedGeneration);
        String found = stored == null
                ? "no generation"
                : "generation %d".formatted(stored.generation().number());
        String problem =
                "the %s has %s, and this node runs generation %d, which is %s: the store was deleted or rolled back, as by a backup, or is another one than it was. Start no node before that is corrected"
                        .formatted(
                                store.describe(),
                                found,
                                own.number(),
                                sealed >= own.number() ? "sealed" : "not sealed yet");
        Membership known = sealed == own.number() ? known(own) : null;
        if (known == null || (stored != null && !mayPrecede(stored, known))) {
            return problem;
        }
        try {
            boolean isWritten = store.replace(stored, known.whenSealed());
            if (isWritten) {
                tellWritten(found, own);
            }
            boolean isMended = isWritten
                    || lookThatLost != looks - 1; // another node was faster; twice in a row, the store takes nothing
            lookThatLost = isWritten ? lookThatLost : looks;
            return isMended ? "" : problem + "; it does not take what this node writes back";
        } catch (IOException | RuntimeException e) { // the user's code, or a driver's
            return "%s; writing it back failed: %s".formatted(problem, Printable.text(e.getMessage()));
        }
    }

    /** Once in ten minutes, should something empty the store again and again. */
    private void tellWritten(String found, Generation own) {
        if (looks - lookThatWrote < LOOKS_UNTIL_TOLD_AGAIN) {
            return;
        }
        lookThatWrote = looks;
        log.warn(
                "Node '{}' has written generation {} of cell '{}', which is sealed, back to the {}: it had {}, as after it was deleted or its backup was restored. Find out what has written to it",
                options.nodeId(),
                own.number(),
                options.cell(),
                Printable.text(store.describe()),
                Printable.text(found));
    }

    /**
     * The generation that the node runs, with addresses; null if this node is not one of its members, has never read it, or has read or heard of
     * a later one: then another node may run that.
     */
    private @Nullable Membership known(Generation own) {
        Membership last = latest;
        boolean isLaterRead = last != null && last.generation().number() > own.number();
        boolean isLaterHeard =
                node.ask(LeaseAlgorithm::followed).stream().anyMatch(each -> each.number() > own.number());
        if (isLaterRead || isLaterHeard) {
            return null;
        }
        Membership known =
                last != null && ConfiguredGeneration.of(last).equals(own) ? last : StoredMembership.of(options);
        boolean isOwn =
                ConfiguredGeneration.of(known).equals(own) && known.peers().containsKey(options.nodeId());
        return isOwn ? known : null;
    }

    /** Whether the older one can be an earlier one of the same cell, as far as the later one tells. */
    private static boolean mayPrecede(Membership older, Membership later) {
        GenerationOptions.Previous previous = later.generation().previous();
        boolean isNext = older.generation().number() + 1 == later.generation().number();
        return (isNext && previous != null)
                ? previous.peers().keySet().equals(older.peers().keySet())
                : !Collections.disjoint(older.peers().keySet(), later.peers().keySet());
    }

    /** Tells the node what follows; answers what keeps it from going there, else nothing. */
    private String follow(@Nullable Membership stored) {
        Generation own =
                node.ask(machine -> Optional.ofNullable(machine.generation())).orElse(null);
        if (stored == null) {
            return own == null ? "" : forgotten(null, own);
        }
        Generation next = ConfiguredGeneration.of(stored);
        remember(stored);
        if (own == null) {
            return "";
        }
        if (next.number() < own.number()) {
            return forgotten(stored, own);
        }
        if (next.number() == own.number()) {
            if (next.equals(own)) {
                adopt(stored);
                return seal(stored, own);
            }
            return "another content of generation %d is stored in the %s: %s there, %s here. Correct what this node is configured with, and restart it"
                    .formatted(own.number(), store.describe(), StoredMembership.text(next), StoredMembership.text(own));
        }
        if (!own.isFollowedBy(next)) {
            return "generation %d is stored in the %s, and this node is at generation %d, which it does not follow: restart this node, or stop it if it is not one of the members, %s"
                    .formatted(
                            next.number(),
                            store.describe(),
                            own.number(),
                            next.current().members());
        }
        List<Generation> followed = node.ask(LeaseAlgorithm::followed);
        Generation latest = followed.isEmpty() ? own : followed.get(followed.size() - 1);
        boolean isAnother = latest.number() == next.number() && !latest.equals(next);
        if (isAnother && node.ask(LeaseAlgorithm::sealedGeneration) >= next.number()) {
            return "generation %d is stored in the %s, and the cell has sealed another content of it: %s there, %s in the cell. Delete it there: a member that runs what the cell has sealed stores that"
                    .formatted(
                            next.number(),
                            store.describe(),
                            StoredMembership.text(next),
                            StoredMembership.text(latest));
        }
        if (stored.previousSealed()) {
            node.runner().submit(new Event.SealStored(own)); // the members that knew it may be gone
        }
        if (!next.everyone().contains(new NodeId(options.nodeId()))) {
            return "generation %d has been stored without this node: stop it, or run it as a client under another id"
                    .formatted(next.number());
        }
        if (!hasTimesOf(own, next)) {
            return "generation %d has other times: longest lease %s, clock drift %s. Restart this node, one after the other, as leases are timed by what a process was started with"
                    .formatted(
                            next.number(),
                            next.current().maxLeaseTime(),
                            next.current().clockDrift());
        }
        tell(stored, next);
        return "";
    }

    /**
     * Tells the store that the node's generation is sealed, or learns it from there: then a cell that has been stopped as a whole starts without
     * the previous members. Answers what keeps it from that, else nothing.
     */
    private String seal(Membership stored, Generation own) {
        boolean isKnown = node.ask(LeaseAlgorithm::sealedGeneration) >= own.number();
        if (stored.sealed() && !isKnown) {
            node.runner().submit(new Event.SealStored(own));
        }
        try {
            boolean isShown = node.ask(LeaseAlgorithm::decidingGeneration) >= own.number();
            if (isShown && !stored.sealed() && store.replace(stored, stored.whenSealed())) {
                log.info(
                        "Node '{}' has stored in the {} that generation {} of cell '{}' is sealed",
                        options.nodeId(),
                        Printable.text(store.describe()),
                        own.number(),
                        options.cell());
            }
            return "";
        } catch (IOException | RuntimeException e) { // the user's code, or a driver's
            return "the seal of generation %d cannot be written to the %s, without which the cell needs the previous members again if it stops as a whole: %s"
                    .formatted(own.number(), store.describe(), Printable.text(e.getMessage()));
        }
    }

    private static boolean hasTimesOf(Generation own, Generation next) {
        return next.current().timing().maxLeaseNanos() == own.current().timing().maxLeaseNanos()
                && next.current().clockDrift() == own.current().clockDrift();
    }

    private void tell(Membership stored, Generation next) {
        if (announced < next.number()) {
            announced = next.number();
            log.info(
                    "Node '{}' has read generation {} of cell '{}' in the {}, and moves to it once majorities before and after the change participate: {}",
                    options.nodeId(),
                    next.number(),
                    options.cell(),
                    Printable.text(store.describe()),
                    StoredMembership.text(next));
        }
        Map<NodeId, InetSocketAddress> members = new HashMap<>();
        stored.everyone().forEach((id, address) -> members.put(new NodeId(id), address));
        node.environment().loop().execute(() -> node.runner()
                .run(() -> node.environment().transport().coming(next, members)));
        node.runner().submit(new Event.NextGeneration(next));
    }

    private void adopt(Membership stored) {
        if (options.generation().number() != stored.generation().number()) {
            options = options.toBuilder().membership(stored).build();
        }
    }
}
