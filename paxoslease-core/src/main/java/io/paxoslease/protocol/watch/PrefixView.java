package io.paxoslease.protocol.watch;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.OncePerMinute;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Timed;
import io.paxoslease.protocol.Timers;
import io.paxoslease.protocol.watch.WatchedResource.State;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What all members together have told of one prefix (section 10, V3): an owner is the one that a majority names, and a lease is free if a
 * majority has no record of it. One member alone is not believed: it may have missed a message, or have restarted.
 */
final class PrefixView {

    /** A lease of which there is something to tell: it is held, or it is not known whether it is. */
    private static final class Known extends Timed {
        WatchedResource told;

        Known(WatchedResource told) {
            this.told = told;
        }
    }

    final String prefix;
    private final ViewMemory.Part memory;
    private final OncePerMinute notices = new OncePerMinute();
    private final Map<NodeId, MemberView> members = new LinkedHashMap<>();
    private Quorum quorum;
    /** Those that may have changed since the last call of {@link #news}. */
    private final Set<String> touched = new HashSet<>();

    private final Map<String, Known> known = new HashMap<>();
    private final Timers ends = new Timers();
    /** Whether a majority tells of each change. */
    private boolean current;
    /** The next news tell all that is known, once it is current. */
    private boolean tellsAll = true;
    /** Members have become current, or no longer are, or others decide. */
    private boolean votersChanged;

    PrefixView(String prefix, ViewMemory memory, Quorum quorum, Moment now) {
        this.prefix = prefix;
        this.memory = memory.new Part();
        this.quorum = quorum;
        decidedBy(quorum, now);
    }

    Iterable<MemberView> members() {
        return members.values();
    }

    /** From now on that many acceptors, others than before, decide. */
    void decidedBy(Quorum others, Moment now) {
        quorum = others;
        votersChanged = true;
        members.values().stream()
                .filter(view -> !others.acceptors().contains(view.member))
                .forEach(MemberView::forget);
        members.keySet().retainAll(others.acceptors());
        others.acceptors()
                .forEach(member ->
                        members.computeIfAbsent(member, each -> new MemberView(each, prefix, this.memory, now)));
    }

    /** Gives back the memory of all that members have told. The view is not used after this call. */
    void forget() {
        members.values().forEach(MemberView::forget);
    }

    /** Whether there is no room for what that member tells, and that has not been said lately. */
    boolean isNewlyFull(NodeId node, Moment now) {
        MemberView member = members.get(node);
        return member != null && member.isFull() && notices.isDue(now);
    }

    /** A new user has to be told all that is known. */
    void tellAll() {
        tellsAll = true;
    }

    void reachable(NodeId node, Moment now) {
        MemberView member = members.get(node);
        if (member != null) {
            votersChanged |= member.isCurrent();
            member.reachable(now);
        }
    }

    void unreachable(NodeId node) {
        MemberView member = members.get(node);
        if (member != null) {
            votersChanged |= member.isCurrent();
            member.unreachable();
        }
    }

    /** Answers the confirmation; null: none is due. */
    WatchMessage.@Nullable Request hear(NodeId from, WatchMessage.Changes told, Moment now) {
        MemberView member = members.get(from);
        if (member == null) {
            return new WatchMessage.Unwatch(prefix);
        }
        boolean wasCurrent = member.isCurrent();
        WatchMessage.Request confirmation = member.hear(told, touched, now);
        votersChanged |= member.isCurrent() != wasCurrent;
        return confirmation;
    }

    /** When something is due; null: never. */
    @Nullable
    Moment next() {
        Moment next = current ? ends.next() : null;
        for (MemberView member : members.values()) {
            next = Moment.earliest(next, member.askAt());
        }
        return next;
    }

    /**
     * What the user of the prefix must be told now, its changes in no order; null: nothing.
     *
     * @param lastNanos for how long a holder may last that is not known any more: the longest lease multiplied by gamma
     */
    Effect.@Nullable Watched news(long lastNanos, Moment now) {
        boolean wasCurrent = current;
        List<WatchedResource> changes = changes(lastNanos, now);
        boolean all = tellsAll && current;
        if (all) {
            tellsAll = false;
            changes = known.values().stream().map(lease -> lease.told).toList();
        }
        boolean isNews = all || !changes.isEmpty() || current != wasCurrent;
        return isNews ? new Effect.Watched(prefix, all, current, changes) : null;
    }

    /** While no majority tells of changes, nothing changes. */
    private List<WatchedResource> changes(long lastNanos, Moment now) {
        List<WatchedResource> news = new ArrayList<>(0);
        if (votersChanged) {
            votersChanged = false;
            current = quorum.isMajority(votes(member -> true));
            touchAll();
        }
        if (current) {
            for (String resource : touched) {
                look(resource, lastNanos, news, now);
            }
            for (Timed due = ends.poll(now); due != null; due = ends.poll(now)) {
                forgetOwner((Known) due, news);
            }
        }
        touched.clear();
        return news;
    }

    private void touchAll() {
        touched.addAll(known.keySet());
        members.values().forEach(member -> touched.addAll(member.resources()));
    }

    /** The members that are current and say so, as bits. */
    private long votes(Predicate<MemberView> says) {
        long votes = 0;
        for (MemberView member : members.values()) {
            if (member.isCurrent() && says.test(member)) {
                votes |= 1L << quorum.indexOf(member.member);
            }
        }
        return votes;
    }

    /** The members whose record of the resource is such, as bits. */
    private long votes(String resource, Predicate<WatchedRecord> such) {
        return votes(member -> {
            WatchedRecord record = member.record(resource);
            return record != null && such.test(record);
        });
    }

    private static boolean names(WatchedRecord record, WatchedRecord owner) {
        return record.node().equals(owner.node()) && record.incarnation().equals(owner.incarnation());
    }

    private void look(String resource, long lastNanos, List<WatchedResource> news, Moment now) {
        Known before = known.get(resource);
        WatchedRecord owner = owner(resource);
        if (owner != null) {
            tell(before, new WatchedResource(resource, State.HELD, owner.node(), owner.note()), news);
        } else if (quorum.isMajority(votes(member -> member.record(resource) == null))) {
            if (before != null) {
                ends.set(before, null);
                known.remove(resource);
                news.add(new WatchedResource(resource, State.FREE, null, ""));
            }
        } else if (before == null) {
            tell(null, new WatchedResource(resource, State.UNKNOWN, null, ""), news);
        } else if (before.told.state() != State.UNKNOWN) {
            WatchedResource last = before.told;
            tell(before, new WatchedResource(resource, State.UNKNOWN, last.owner(), last.note()), news);
            ends.set(before, now.plusNanos(lastNanos));
        }
    }

    private void tell(@Nullable Known before, WatchedResource now, List<WatchedResource> news) {
        if (before == null) {
            known.put(now.resource(), new Known(now));
            news.add(now);
        } else if (!before.told.equals(now)) {
            ends.set(before, null);
            before.told = now;
            news.add(now);
        }
    }

    /** The owner that a majority names; null: a majority names none. */
    private @Nullable WatchedRecord owner(String resource) {
        for (MemberView member : members.values()) {
            WatchedRecord named = member.isCurrent() ? member.record(resource) : null;
            if (named != null && quorum.isMajority(votes(resource, record -> names(record, named)))) {
                return noted(resource, named);
            }
        }
        return null;
    }

    /**
     * With the note that a majority has; if they disagree, with the latest one. The latest one may be missing where a member has no room for it (X3),
     * and the others do not tell of a counter alone.
     */
    private WatchedRecord noted(String resource, WatchedRecord owner) {
        WatchedRecord latest = owner;
        for (MemberView member : members.values()) {
            WatchedRecord record = member.isCurrent() ? member.record(resource) : null;
            if (record != null && names(record, owner)) {
                if (quorum.isMajority(votes(resource, each -> record.tellsTheSame(each)))) {
                    return record;
                }
                latest = record.counter() > latest.counter() ? record : latest;
            }
        }
        return latest;
    }

    /** Its lease is over, and no other owner is known. */
    private static void forgetOwner(Known lease, List<WatchedResource> news) {
        lease.told = new WatchedResource(lease.told.resource(), State.UNKNOWN, null, "");
        news.add(lease.told);
    }
}
