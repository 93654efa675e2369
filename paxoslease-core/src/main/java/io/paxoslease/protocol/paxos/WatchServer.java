package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.MessageSink;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Note;
import io.paxoslease.protocol.Timed;
import io.paxoslease.protocol.Timers;
import io.paxoslease.protocol.paxos.RecordLog.Page;
import io.paxoslease.protocol.paxos.Subscriber.Subscription;
import io.paxoslease.protocol.watch.WatchMessage.Change;
import io.paxoslease.protocol.watch.WatchMessage.Changes;
import io.paxoslease.protocol.watch.WatchMessage.Request;
import io.paxoslease.protocol.watch.WatchMessage.Unwatch;
import io.paxoslease.protocol.watch.WatchMessage.Watch;
import io.paxoslease.protocol.watch.WatchPrefix;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Tells those that watch what changes at this acceptor (section 10, V1). Each subscription has one message under way, which is repeated until it is
 * confirmed: what changes meanwhile goes into the next one. Bounded for each subscriber and in all.
 */
final class WatchServer {

    /** How many prefixes one node may watch. */
    static final int MOST_OF_ONE = 64;
    /** How many subscriptions are served in one step. */
    static final int AT_ONCE = 256;
    /** Beyond {@link #TURNS} in that time, changes wait for others. */
    static final long GATHER_NANOS = 20_000_000;

    static final int TURNS = 8;

    private static final long REPEAT_NANOS = 1_000_000_000;
    private static final long WAIT_NANOS = 250_000_000;
    private static final int BYTES_OF_ONE = 400;
    /** To look at a change of another prefix costs a subscriber as much as so many bytes. */
    private static final int BYTES_OF_SEEN = 16;

    private final Share share;
    private final Map<NodeId, Subscriber> subscribers = new HashMap<>();
    /** By prefix, those that watch it. */
    private final Map<String, Map<NodeId, Subscription>> byPrefix = new HashMap<>();
    /** How many of these prefixes have which length. So a change costs a look-up for each length, however many prefixes there are. */
    private final TreeMap<Integer, Integer> lengths = new TreeMap<>();

    /** Leases that can be watched, and whose records may have changed. */
    private final Set<String> changed = new LinkedHashSet<>();

    private final ArrayDeque<Subscription> due = new ArrayDeque<>();
    private final Timers timers = new Timers();
    private RecordLog log;
    private final Supplier<Incarnation> boots;
    private @Nullable SlotTable table;
    /** When the present period of {@link #GATHER_NANOS} began. */
    private @Nullable Moment gathersFrom;

    private int turns;
    /** There was more than is told in one step. */
    private boolean isBehind;

    /**
     * @param boots what names the acceptor's memory at present
     * @param subscriptions what those that watch may have
     * @param log remembers nothing yet
     */
    WatchServer(Supplier<Incarnation> boots, Share subscriptions, RecordLog log) {
        this.boots = boots;
        this.share = subscriptions;
        this.log = log;
    }

    /** Whether those that watch could be told of a new record of that owner. */
    boolean hasRoom(NodeId owner, String resource) {
        return log.hasRoom(owner, resource);
    }

    /** Whether holders return to an acceptor that has lost its memory. */
    void returning(boolean now) {
        log.share().returning(now);
    }

    /** The acceptor's record of it may have changed. */
    void changed(String resource) {
        if (WatchPrefix.isWatched(resource)) {
            changed.add(resource);
        }
    }

    /** Its messages can reach the node no more. It asks again when they can. */
    void unreachable(NodeId node) {
        Subscriber subscriber = subscribers.get(node);
        if (subscriber != null) {
            List.copyOf(subscriber.subscriptions.keySet()).forEach(prefix -> end(node, prefix));
        }
    }

    /** Answers whether it is served: there may be no room for another subscription. */
    boolean serve(NodeId from, Request request, Moment now) {
        if (request instanceof Watch watch && WatchPrefix.isWatched(watch.prefix())) {
            Subscriber known = subscribers.get(from);
            Subscription subscription = known == null ? null : known.subscriptions.get(watch.prefix());
            boolean isNew =
                    subscription == null && watch.asks() && (known == null || known.subscriptions.size() < MOST_OF_ONE);
            if (isNew && !share.hasRoom(from, bytes(watch.prefix()))) {
                return false;
            }
            subscription = isNew ? add(from, watch.prefix(), now) : subscription;
            if (subscription != null) {
                heard(subscription, watch);
            }
        } else if (request instanceof Unwatch unwatch) {
            end(from, unwatch.prefix());
        }
        return true;
    }

    private Subscription add(NodeId from, String prefix, Moment now) {
        share.take(from, bytes(prefix));
        Subscriber subscriber = subscribers.computeIfAbsent(from, node -> new Subscriber(node, now));
        Subscription made = new Subscription(subscriber, prefix);
        subscriber.subscriptions.put(prefix, made);
        Map<NodeId, Subscription> watching = byPrefix.get(prefix);
        if (watching == null) {
            watching = new LinkedHashMap<>();
            byPrefix.put(prefix, watching);
            lengths.merge(prefix.length(), 1, Integer::sum);
        }
        watching.put(from, made);
        return made;
    }

    private static int bytes(String prefix) {
        return BYTES_OF_ONE + 2 * prefix.length();
    }

    private void end(NodeId node, String prefix) {
        Subscriber subscriber = subscribers.get(node);
        Subscription subscription = subscriber == null ? null : subscriber.subscriptions.remove(prefix);
        Map<NodeId, Subscription> others = byPrefix.get(prefix);
        if (subscriber == null || subscription == null || others == null) {
            return;
        }
        share.giveBack(node, bytes(prefix));
        timers.set(subscription, null);
        subscription.isOver = true;
        others.remove(node);
        if (others.isEmpty()) {
            byPrefix.remove(prefix);
            lengths.computeIfPresent(prefix.length(), (length, count) -> count > 1 ? count - 1 : null);
        }
        if (subscriber.subscriptions.isEmpty()) {
            subscribers.remove(node);
        }
    }

    /** The subscriber knows that version: it is told the rest from there, whatever this member has sent. */
    private void heard(Subscription subscription, Watch watch) {
        boolean knows = watch.boot().equals(boots.get()) && subscription.canContinueFrom(watch.version(), log);
        subscription.isUnderWay = false;
        timers.set(subscription, null);
        subscription.reset = !knows;
        subscription.startsOver = !knows;
        subscription.sent = knows ? watch.version() : 0;
        subscription.confirmed = subscription.sent;
        subscription.unchangedUntil = 0;
        subscription.asks |= watch.asks();
        if (subscription.asks || !knows || subscription.sent < log.version()) {
            due(subscription);
        }
    }

    private void due(Subscription subscription) {
        if (!subscription.isDue) {
            subscription.isDue = true;
            due.add(subscription);
        }
    }

    /**
     * At the end of a step of an acceptor that serves.
     *
     * @param notes the note of a live record
     */
    void finish(SlotTable slots, UnaryOperator<String> notes, MessageSink out, Moment now) {
        if (table != slots) {
            forget(slots);
        }
        log.pollDue(now, resource -> look(resource, slots, notes, now));
        changed.forEach(resource -> look(resource, slots, notes, now));
        changed.clear();
        for (Timed each = timers.poll(now); each != null; each = timers.poll(now)) {
            repeat((Subscription) each);
        }
        if (!due.isEmpty() && (hasTurn(now) || isBehind)) {
            turns++;
            for (int i = Math.min(AT_ONCE, due.size()); i > 0; i--) {
                tell(due.remove(), out, now);
            }
            isBehind = !due.isEmpty();
        }
    }

    private boolean hasTurn(Moment now) {
        Moment from = gathersFrom;
        if (from == null || from.nanosUntil(now) >= GATHER_NANOS) {
            gathersFrom = now;
            turns = 0;
        }
        return turns < TURNS;
    }

    /**
     * The acceptor is silent, and about to lose its memory. If it has served, each subscriber is told to forget what it has heard: nothing else
     * tells that the acceptor does not follow any more. It names no lease, so an acceptor may say it that has to be silent about them.
     */
    void pause(MessageSink out) {
        if (table == null) {
            return;
        }
        table = null;
        log = log.emptied();
        changed.clear();
        for (Subscriber subscriber : subscribers.values()) {
            for (Subscription each : subscriber.subscriptions.values()) {
                out.send(subscriber.node, new Changes(each.prefix, boots.get(), 0, 0, true, false, List.of()));
            }
        }
    }

    /** The acceptor has lost its memory. */
    private void forget(SlotTable slots) {
        table = slots;
        log = log.emptied();
        subscribers
                .values()
                .forEach(subscriber -> subscriber.subscriptions.values().forEach(this::restart));
    }

    private void restart(Subscription subscription) {
        subscription.startsOver = true;
        subscription.confirmed = 0;
        subscription.endsSince = 0;
        rewind(subscription);
    }

    private void rewind(Subscription subscription) {
        subscription.isUnderWay = false;
        subscription.sent = subscription.confirmed;
        subscription.unchangedUntil = 0;
        due(subscription);
    }

    private void look(String resource, SlotTable slots, UnaryOperator<String> notes, Moment now) {
        AcceptorSlot slot = slots.live(resource, now);
        if (log.look(resource, slot, slot == null ? Note.NONE : notes.apply(resource))) {
            for (int length : lengths.headMap(resource.length(), true).keySet()) {
                byPrefix.getOrDefault(resource.substring(0, length), Map.of())
                        .values()
                        .forEach(this::tellSoon);
            }
        }
    }

    private void tellSoon(Subscription subscription) {
        if (!subscription.isUnderWay) {
            due(subscription);
        }
    }

    /** What was sent has not been confirmed: it may be lost. */
    private void repeat(Subscription subscription) {
        if (subscription.isUnderWay) {
            subscription.startsOver |= subscription.confirmed == 0;
            rewind(subscription);
        } else {
            due(subscription); // it had to wait
        }
    }

    private void tell(Subscription subscription, MessageSink out, Moment now) {
        subscription.isDue = false;
        Subscriber subscriber = subscription.subscriber;
        if (subscription.isOver) {
            return;
        }
        if (!subscriber.mayBeTold(now)) {
            timers.set(subscription, now.plusNanos(WAIT_NANOS));
            return;
        }
        Page page = next(subscription);
        subscriber.took((long) page.seen() * BYTES_OF_SEEN);
        if (page.changes().isEmpty() && !page.isLast()) {
            subscription.unchangedUntil = page.to();
            due(subscription);
            return;
        }
        boolean isNews = subscription.reset || !page.changes().isEmpty();
        if (isNews || subscription.asks) {
            Changes told = new Changes(
                    subscription.prefix,
                    boots.get(),
                    subscription.sent,
                    isNews ? page.to() : subscription.sent,
                    subscription.reset,
                    page.isLast(),
                    page.changes());
            out.send(subscriber.node, told);
            subscriber.took(bytes(told));
        }
        subscription.asks &= !page.isLast();
        subscription.reset = false;
        if (isNews) {
            subscription.sent = page.to();
            subscription.isUnderWay = true;
            timers.set(subscription, now.plusNanos(REPEAT_NANOS));
        } else {
            subscription.unchangedUntil = page.to();
        }
    }

    private Page next(Subscription subscription) {
        long known = Math.max(subscription.sent, subscription.unchangedUntil);
        if (subscription.startsOver || !log.knowsAllSince(Math.max(known, subscription.endsSince))) {
            subscription.beginSnapshot(log);
            known = 0;
        }
        return log.since(known, subscription.endsSince, subscription.prefix);
    }

    private static long bytes(Changes told) {
        long bytes = 64;
        for (Change change : told.changes()) {
            bytes += 64 + change.resource().length();
            bytes += change.record() == null ? 0 : 48 + change.record().note().length();
        }
        return bytes;
    }

    /** When something is due; null: never. */
    @Nullable
    Moment next() {
        Moment next = Moment.earliest(log.next(), timers.next());
        Moment from = gathersFrom;
        if (due.isEmpty() || from == null) {
            return next;
        }
        return Moment.earliest(next, isBehind || turns < TURNS ? from : from.plusNanos(GATHER_NANOS));
    }

    /** How many subscriptions there are. */
    int size() {
        return byPrefix.values().stream().mapToInt(Map::size).sum();
    }
}
