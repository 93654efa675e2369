package io.paxoslease.spring.leader;

import io.paxoslease.election.GuardedWork;
import io.paxoslease.election.Leadership;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Guards what goes on after an {@link OnLeader} method has returned a future. */
final class GuardedFuture {

    private GuardedFuture() {}

    /**
     * The future that the method seems to return, which fails when leadership ends first; its own is cancelled then. One of a type of its
     * own is returned itself.
     */
    static Object guard(
            LeaderCheck gate,
            LeaderGuard guard,
            Leadership leadership,
            CompletableFuture<?> result,
            Class<?> returnType) {
        if (result.isDone()) {
            return result;
        }
        CompletableFuture<@Nullable Object> outcome = new CompletableFuture<>();
        GuardedWork work = begin(gate, guard, leadership, () -> end(guard, result, outcome));
        if (work == null) { // leadership has ended while the method ran
            end(guard, result, outcome);
        }
        result.whenComplete((value, failure) -> {
            if (work != null) {
                work.close();
                guard.left(gate, work, failure == null);
            }
            if (failure == null) {
                outcome.complete(value);
            } else {
                outcome.completeExceptionally(failure);
            }
        });
        outcome.whenComplete((value, failure) -> {
            if (outcome.isCancelled()) { // by the caller
                result.cancel(true);
            }
        });
        return returnType.isInstance(outcome) ? outcome : result;
    }

    /** Null when the leadership has ended, also if this node leads again. */
    private static @Nullable GuardedWork begin(
            LeaderCheck gate, LeaderGuard guard, Leadership leadership, Runnable onEnd) {
        GuardedWork work = gate.begin(guard.role(), onEnd).orElse(null);
        if (work != null && work.leadership().fencingToken() != leadership.fencingToken()) {
            work.close();
            return null;
        }
        return work;
    }

    private static void end(LeaderGuard guard, CompletableFuture<?> result, CompletableFuture<?> outcome) {
        outcome.completeExceptionally(guard.ended());
        result.cancel(true);
    }
}
