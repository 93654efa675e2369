package io.paxoslease.node;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.testing.InMemoryCell;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Two leases are extended together; the holder asks for much more time for one of them, and then its thread stands still. Is the other
 * still held when another node has been granted it?
 */
public final class SharedEndOfOne implements Supplier<List<String>> {

    private static final Duration LEASE = Duration.ofSeconds(3);

    /** @return what is wrong; nothing when all is well */
    @Override
    public List<String> get() {
        try (InMemoryCell cell = InMemoryCell.of(LEASE, LEASE.multipliedBy(10), "a", "b", "c")) {
            Lease other =
                    cell.node("a").acquire("other", AcquireOptions.renewing()).join();
            Lease one = cell.node("a").acquire("one", AcquireOptions.renewing()).join();
            cell.advance(LEASE);
            CompletableFuture<Boolean> longer = one.renew(LEASE.multipliedBy(10));
            cell.advance(Duration.ofMillis(10));
            if (!longer.join()) {
                return List.of("the lease is not renewed");
            }
            cell.suspend("a"); // nobody takes its leases away but their ends
            CompletableFuture<Lease> next = cell.node("b").acquire("other", AcquireOptions.renewing());
            cell.advance(LEASE.multipliedBy(2));
            if (!next.isDone() || !one.isHeld()) {
                return List.of("b has not been granted the lease, or a has lost the longer one");
            }
            return other.isHeld() ? List.of("two hold one lease: " + other + " and " + next.join()) : List.of();
        }
    }
}
