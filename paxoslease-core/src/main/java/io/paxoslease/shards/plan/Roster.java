package io.paxoslease.shards.plan;

import io.paxoslease.protocol.Moment;
import io.paxoslease.shards.plan.Participant.State;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The participants as one observer knows them over time: how old each one is at least, when they last changed, and which ones are left
 * out of plans because they do not act (S5).
 */
final class Roster {

    /** The most participants of a group: those that became active first (S2). */
    static final int MOST = 256;

    /** One that is out of sight for so long is forgotten. */
    private static final Duration MEMORY = Duration.ofMinutes(5);

    private static final int MOST_KNOWN = 4 * MOST;

    private static final Duration BETWEEN_RESTARTS = Duration.ofMinutes(1);

    /** An instance with another number of shards stays only if it is older by so much: more than a note is under way. */
    private static final Duration CLEARLY_OLDER = Duration.ofSeconds(10);

    private static final class Known {
        Participant note;
        Moment startedBy;
        Moment seenAt;
        boolean isPresent = true;

        /** When it last began to count as another process. */
        @Nullable
        Moment restartedAt;

        @Nullable
        Moment leftOutSince;

        /** When it last became the owner of a shard, or was first seen. */
        Moment actedAt;

        Known(Participant note, Moment now) {
            this.note = note;
            this.startedBy = startedBy(note, now);
            this.seenAt = now;
            this.actedAt = now;
        }

        /** Not later than that it started. */
        private static Moment startedBy(Participant note, Moment now) {
            return now.plusNanos(-Duration.ofMillis(note.ageMillis()).toNanos());
        }

        /** Returns whether it changed in a way that matters to balance: joining ones do not. */
        boolean update(Participant seen, Moment now) {
            Participant before = note;
            boolean wasPresent = isPresent;
            note = seen;
            seenAt = now;
            isPresent = true;
            if (seen.boot() != before.boot()) {
                startedBy = startedBy(seen, now);
                restarted(now);
            } else {
                startedBy = Moment.earlier(startedBy, startedBy(seen, now));
            }
            boolean isOther = !seen.equals(before.withAge(seen.ageMillis()));
            return (isOther || !wasPresent) && !(isJoining(seen) && (isJoining(before) || !wasPresent));
        }

        /** One that restarts again and again, or says so, acts no more for it. */
        private void restarted(Moment now) {
            if (restartedAt == null || restartedAt.nanosUntil(now) > BETWEEN_RESTARTS.toNanos()) {
                restartedAt = now;
                leftOutSince = null;
                actedAt = now;
            }
        }
    }

    private final int count;
    private final Map<String, Known> all = new TreeMap<>();
    private @Nullable Moment changedAt;
    private @Nullable Moment firstActiveAt;

    /** @param count the number of shards that this observer is configured with */
    Roster(int count) {
        this.count = count;
    }

    void update(Map<String, Participant> seen, Moment now) {
        boolean isChanged = false;
        for (Map.Entry<String, Participant> entry : seen.entrySet()) {
            Known known = all.get(entry.getKey());
            if (known == null) {
                all.put(entry.getKey(), new Known(entry.getValue(), now));
                isChanged |= !isJoining(entry.getValue());
            } else {
                isChanged |= known.update(entry.getValue(), now);
            }
        }
        for (Map.Entry<String, Known> entry : all.entrySet()) {
            Known known = entry.getValue();
            if (known.isPresent && !seen.containsKey(entry.getKey())) {
                known.isPresent = false;
                isChanged |= !isJoining(known.note);
            }
        }
        all.values().removeIf(known -> !known.isPresent && known.seenAt.nanosUntil(now) > MEMORY.toNanos());
        if (all.size() > MOST_KNOWN) {
            all.values().removeIf(known -> !known.isPresent);
        }
        if (isChanged || changedAt == null) {
            changedAt = now;
        }
        if (active().isEmpty()) {
            firstActiveAt = null;
        } else if (firstActiveAt == null) {
            firstActiveAt = now;
        }
    }

    private static boolean isJoining(Participant note) {
        return note.state() == State.JOINING;
    }

    /** When a participant other than a joining one last came, went or changed; null before the first view. */
    @Nullable
    Moment changedAt() {
        return changedAt;
    }

    /** Since when at least one participant has been seen to be active without an interruption; null if none is. */
    @Nullable
    Moment firstActiveAt() {
        return firstActiveAt;
    }

    /** What is not seen may have lost all its leases: a group without an owner then starts as at first (S9). */
    void stalled() {
        firstActiveAt = null;
    }

    /** The order that an instance takes when it becomes active. */
    int nextOrder() {
        int highest = all.values().stream()
                .filter(known -> known.isPresent)
                .mapToInt(known -> known.note.order())
                .max()
                .orElse(0);
        return Math.min(highest + 1, Participant.MAX_ORDER);
    }

    /** The ids of all that are seen with this group's number of shards, by id, at most {@value #MOST}. */
    List<String> present() {
        return all.entrySet().stream()
                .filter(entry ->
                        entry.getValue().isPresent && entry.getValue().note.count() == count)
                .sorted(Comparator.comparingInt((Map.Entry<String, Known> entry) -> order(entry.getValue().note))
                        .thenComparing(Map.Entry::getKey))
                .limit(MOST)
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
    }

    private static int order(Participant note) {
        return note.order() == 0 ? Integer.MAX_VALUE : note.order();
    }

    /** Those of them that are active, left out or not. */
    List<String> active() {
        return present().stream()
                .filter(node -> note(node).state() == State.ACTIVE)
                .toList();
    }

    Participant note(String node) {
        return known(node).note;
    }

    /** What is seen of that node; null if it is not seen. */
    @Nullable
    Participant seen(String node) {
        Known known = all.get(node);
        return known != null && known.isPresent ? known.note : null;
    }

    /** Whether the last that was seen of it is that it leaves. */
    boolean hasLeft(String node) {
        Known known = all.get(node);
        return known != null && !known.isPresent && known.note.state() == State.LEAVING;
    }

    /** It started then or earlier. */
    Moment startedBy(String node) {
        return known(node).startedBy;
    }

    void leaveOut(String node, Moment now) {
        known(node).leftOutSince = now;
    }

    /** It has become the owner of a shard: it acts. */
    void acted(String node, Moment now) {
        Known known = all.get(node);
        if (known != null) {
            known.leftOutSince = null;
            known.actedAt = now;
        }
    }

    /** When it last became the owner of a shard, or was first seen. */
    Moment actedAt(String node) {
        return known(node).actedAt;
    }

    boolean isLeftOut(String node, Outlook outlook) {
        Known known = known(node);
        if (known.leftOutSince != null && outlook.hasPassed(GroupSettings.LEFT_OUT, known.leftOutSince)) {
            known.leftOutSince = null;
        }
        return known.leftOutSince != null;
    }

    private Known known(String node) {
        return Objects.requireNonNull(all.get(node), node);
    }

    /**
     * One that is configured with another number of shards, and before which an instance that started then has to step back (S11). The number
     * with which more shards are owned stays: a note alone stops no group that works. Otherwise an instance stays only if it is clearly
     * older, so of two such instances never both stay.
     */
    Stream<Map.Entry<String, Participant>> conflicts(String self, Moment startedAt, GroupView view) {
        int balance = 0;
        for (int shard = 0; shard < view.count(); shard++) {
            String owner = view.owner(shard);
            Known known = owner == null ? null : all.get(owner);
            if (known != null && known.isPresent) {
                balance += known.note.count() == count ? 1 : -1;
            }
        }
        if (balance > 0) {
            return Stream.empty();
        }
        boolean isOutnumbered = balance < 0;
        Predicate<Known> comesFirst = known -> known.isPresent
                && known.note.count() != count
                && (isOutnumbered || startedAt.nanosUntil(known.startedBy) < CLEARLY_OLDER.toNanos());
        return all.entrySet().stream()
                .filter(entry -> !entry.getKey().equals(self) && comesFirst.test(entry.getValue()))
                .map(entry -> Map.entry(entry.getKey(), entry.getValue().note));
    }
}
