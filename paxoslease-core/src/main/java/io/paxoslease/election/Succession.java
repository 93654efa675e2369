package io.paxoslease.election;

import io.paxoslease.Nomination;
import io.paxoslease.node.HeldLease;
import io.paxoslease.node.SuccessorQuestions;
import io.paxoslease.protocol.Effect.Nominated.Waiting;
import io.paxoslease.protocol.NodeId;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which candidate leads after a leader that stops. Advice. A candidate that has waited for a minute without a failed term is
 * <em>proven</em>. In a rolling update, the candidates that are newer than the leader have the new version, so the update does not stop
 * them, and one of them that has waited for ten seconds is ready before it is proven. Leaders that stop within a minute tell of an update that is
 * faster than that: the youngest candidate is then the least likely to be replaced next, however short it has waited.
 *
 * @param preference ids of nodes: the first one that is ready comes first
 * @param sinceMicros when the leader began to contest the role, by its wall clock
 * @param ledSinceMicros when it began to lead
 */
record Succession(List<String> preference, long sinceMicros, long ledSinceMicros) {

    static final long PROVEN_MICROS = TimeUnit.SECONDS.toMicros(60);
    static final long READY_MICROS = TimeUnit.SECONDS.toMicros(10);

    private static final Comparator<Waiting> OLDEST_FIRST =
            Comparator.comparingLong(Waiting::sinceMicros).thenComparing(Waiting::node);

    /**
     * Asks the members who waits, and chooses. Completes on the node's thread, within half a second or when the node ends; with null if the
     * queue decides.
     */
    CompletableFuture<@Nullable String> seek(HeldLease lease) {
        SuccessorQuestions members = lease.node().successors();
        long begun = lease.clock().read().moment().nanos();
        return members.waiting(lease, SuccessorQuestions.LONGEST).thenCompose(waiting -> {
            long now = lease.clock().read().wallMicros();
            Waiting best = choose(waiting, now);
            Waiting queued = choose(waiting.stream().filter(Waiting::queued).toList(), now);
            String otherwise = queued == null ? null : queued.node().name();
            if (best == null || best.queued()) {
                return CompletableFuture.completedFuture(otherwise);
            }
            long left = SuccessorQuestions.LONGEST.toNanos()
                    - (lease.clock().read().moment().nanos() - begun);
            NodeId called = best.node();
            return members.nominate(lease, called, Duration.ofNanos(Math.max(0, left)))
                    .thenApply(outcome -> outcome == Nomination.QUEUED ? called.name() : otherwise);
        });
    }

    /** Null: none is ready, so the one that has waited longest is as good as any. */
    @Nullable
    Waiting choose(List<Waiting> waiting, long nowMicros) {
        Predicate<Waiting> proven = each -> each.sinceMicros() <= nowMicros - PROVEN_MICROS;
        Predicate<Waiting> newer = each -> each.sinceMicros() > sinceMicros;
        Predicate<Waiting> ready = newer.and(each -> each.sinceMicros() <= nowMicros - READY_MICROS);
        for (String preferred : preference) {
            for (Waiting each : waiting) {
                if (each.node().name().equals(preferred) && proven.or(ready).test(each)) {
                    return each;
                }
            }
        }
        boolean stopsSoon = nowMicros - ledSinceMicros < PROVEN_MICROS;
        return Stream.of(
                        waiting.stream().filter(each -> stopsSoon).filter(newer).max(OLDEST_FIRST),
                        waiting.stream().filter(proven.and(newer)).max(OLDEST_FIRST),
                        waiting.stream().filter(ready).max(OLDEST_FIRST),
                        waiting.stream().filter(proven).max(OLDEST_FIRST))
                .flatMap(each -> each.stream())
                .findFirst()
                .orElse(null);
    }
}
