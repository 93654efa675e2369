package io.paxoslease.node;

import io.paxoslease.AcquireOptions;
import io.paxoslease.LeaseTimeoutException;
import io.paxoslease.PaxosLeaseException;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.protocol.Printable;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;

/** What callers ask of max registers, of a node that runs, joins or is stopped. Any thread. */
final class RegisterRequests {

    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofSeconds(5);

    private final PaxosLeaseOptions options;
    private final NodeLifecycle lifecycle;

    RegisterRequests(PaxosLeaseOptions options, NodeLifecycle lifecycle) {
        this.options = options;
        this.lifecycle = lifecycle;
    }

    /** How long a request is tried: the lease time, within bounds. */
    static Duration limit(PaxosLeaseOptions options) {
        Duration time = options.leaseTime();
        return time.compareTo(SHORTEST) < 0 ? SHORTEST : time.compareTo(LONGEST) > 0 ? LONGEST : time;
    }

    @SuppressWarnings("NullAway") // the only value of Void
    CompletableFuture<Void> raise(String register, long value) {
        if (value < 0) {
            throw new IllegalArgumentException(
                    "A register has no negative values, and '%s' was to be raised to %d: count from zero"
                            .formatted(Printable.name(register), value));
        }
        return request(register, (node, limit) -> node.raise(register, value, limit), highest -> null);
    }

    CompletableFuture<OptionalLong> read(String register) {
        return request(register, (node, limit) -> node.read(register, limit), highest -> highest);
    }

    private <T> CompletableFuture<T> request(
            String register,
            BiFunction<NodeRegisters, Duration, CompletableFuture<OptionalLong>> how,
            Function<OptionalLong, T> answer) {
        ResourceNames.check(register);
        CompletableFuture<T> result = new CompletableFuture<>();
        ClientBootstrap asking = lifecycle.joining();
        if (!options.algorithm().hasMembers()) {
            result.completeExceptionally(new UnsupportedOperationException(
                    "Registers are in the memory of the members, and with the algorithm '%s' there are none: keep the number in a database, or use the algorithm 'paxoslease'"
                                    .formatted(options.algorithm().algorithm())
                            + ""));
        } else if (asking == null) {
            begin(limit(options), how, answer, result);
        } else {
            CompletableFuture<Duration> joined = new CompletableFuture<>();
            AcquireOptions wait =
                    AcquireOptions.builder().maxWait(limit(options)).build();
            asking.whenJoined(register, wait, joined, left -> joined.complete(left.maxWait()));
            joined.whenComplete((left, failure) -> {
                try {
                    if (failure == null) {
                        begin(left, how, answer, result);
                    } else {
                        result.completeExceptionally(
                                failure instanceof LeaseTimeoutException ? notJoined(register) : failure);
                    }
                } catch (RuntimeException | Error fault) { // a future would keep it to itself
                    result.completeExceptionally(fault);
                }
            });
        }
        return result;
    }

    private static PaxosLeaseException notJoined(String register) {
        return new PaxosLeaseException(
                "Register '%s' was not reached: no contact point has said yet who the members are"
                        .formatted(Printable.name(register)));
    }

    private <T> void begin(
            Duration limit,
            BiFunction<NodeRegisters, Duration, CompletableFuture<OptionalLong>> how,
            Function<OptionalLong, T> answer,
            CompletableFuture<T> result) {
        NodeRuntime node = lifecycle.running();
        if (node == null) {
            result.completeExceptionally(RefusedRequest.stopped());
            return;
        }
        OwedAnswer<T> owed = node.callbacks().owe(result);
        how.apply(node.registers(), limit)
                .whenComplete((highest, failure) -> owed.give(failure == null ? answer.apply(highest) : null, failure));
    }
}
