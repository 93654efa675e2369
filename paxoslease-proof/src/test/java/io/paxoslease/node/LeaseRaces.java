package io.paxoslease.node;

import static io.paxoslease.node.Meeting.check;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.LossReason;
import io.paxoslease.PaxosLease;
import io.paxoslease.interleaving.InterleavingScenario;
import io.paxoslease.protocol.Reading;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/** Threads that meet at one lease, or at the request for it. */
public final class LeaseRaces {

    private static final AcquireOptions RENEWING = AcquireOptions.renewing();
    private static final String RESOURCE = "r";
    private static final long SECOND = 1_000_000_000;

    private LeaseRaces() {}

    /** A lease that no cell knows of: who extends and who ends it is the scenario's. */
    public abstract static class OfOneLease implements InterleavingScenario {

        final HandClock clock = new HandClock();
        final HandEnvironment environment = HandEnvironment.withThread(clock, message -> {});
        final NodeRuntime node = StartedNodes.start(HandEnvironment.OPTIONS, environment);
        final Reading later = clock.read().plusNanos(SECOND);
        protected final HeldLease lease = new HeldLease(node, RESOURCE, 42, later);

        @Override
        public final void run() throws InterruptedException {
            meet();
            node.stop();
        }

        protected abstract void meet() throws InterruptedException;

        final void checkEnded() {
            check(!lease.isHeld(), "a lease that was released is held");
        }
    }

    /** What has ended stays so, whatever is said of it meanwhile. */
    public static final class ReleasedAndExtended extends OfOneLease {

        @Override
        protected void meet() throws InterruptedException {
            lease.suspect();
            Meeting.of(
                    () -> {
                        lease.release();
                        checkEnded();
                    },
                    () -> lease.extend(later.plusNanos(SECOND)));
            checkEnded();
        }
    }

    /** The same for an end that many leases share. */
    public static final class ReleasedAndExtendedTogether extends OfOneLease {

        @Override
        protected void meet() throws InterruptedException {
            LeaseEnd shared = LeaseEnd.of(1, later.plusNanos(SECOND));
            Meeting.of(
                    () -> {
                        lease.release();
                        checkEnded();
                    },
                    () -> lease.follow(shared),
                    () -> shared.moves(later.plusNanos(2 * SECOND)));
            checkEnded();
        }
    }

    /** The same for a doubt about the clocks. */
    public static final class LostAndSuspected extends OfOneLease {

        @Override
        protected void meet() throws InterruptedException {
            Meeting.of(() -> check(lease.lose(LossReason.EXPIRED), "not lost"), lease::suspect);
            lease.extend(later.plusNanos(SECOND));
            checkEnded();
        }
    }

    /** A listener hears once of a lease that is lost. */
    public static final class ListenedAndLost extends OfOneLease {

        @Override
        protected void meet() throws InterruptedException {
            int[] told = new int[1];
            Meeting.of(() -> lease.observe(reason -> told[0]++), () -> lease.lose(LossReason.EXPIRED));
            check(told[0] == 1, "told " + told[0] + " times");
        }
    }

    /** A request that is cancelled while it is granted leaks nothing. */
    public static final class Cancelled implements InterleavingScenario {

        @Override
        public void run() throws InterruptedException {
            PaxosLease node = Meeting.startedNode();
            CompletableFuture<Lease> asked = node.acquire(RESOURCE, RENEWING);
            Meeting.of(() -> {
                if (!asked.cancel(true)) {
                    asked.join().release();
                }
            });
            Meeting.checkFree(node, RESOURCE);
            node.stop();
        }
    }

    /** One that is interrupted while it is granted does not either. */
    public static final class Interrupted implements InterleavingScenario {

        @Override
        public void run() throws InterruptedException {
            PaxosLease node = Meeting.startedNode();
            CompletableFuture<Thread> caller = new CompletableFuture<>();
            Meeting.of(() -> caller.join().interrupt(), () -> {
                caller.complete(Thread.currentThread());
                try {
                    node.tryAcquire(RESOURCE, RENEWING).ifPresent(Lease::release);
                } catch (InterruptedException withdrawn) {
                    return; // one of the two outcomes; the other is a lease
                }
            });
            Meeting.checkFree(node, RESOURCE);
            node.stop();
        }
    }

    /** A thread that waits for either of two leases takes one, however near to each other they are granted, and leaves the other. */
    public static final class EitherOfTwo implements InterleavingScenario {

        private static final String ANOTHER = "another";

        @Override
        public void run() throws InterruptedException {
            PaxosLease handle = Meeting.startedNode();
            LocalNode node = LocalNode.of(handle);
            Lease one = node.tryAcquire(RESOURCE, RENEWING).orElseThrow();
            Lease other = node.tryAcquire(ANOTHER, RENEWING).orElseThrow();
            Meeting.of(one::release, other::release, () -> {
                HeldLease taken = PendingLease.awaitFirst(List.of(asked(node, RESOURCE), asked(node, ANOTHER)));
                check(taken != null && taken.isHeld(), "neither was granted");
                Objects.requireNonNull(taken).release();
            });
            Meeting.checkFree(handle, RESOURCE);
            Meeting.checkFree(handle, ANOTHER);
            node.stop();
        }

        private static PendingLease asked(LocalNode node, String resource) throws InterruptedException {
            return Objects.requireNonNull(node.request(resource, RENEWING));
        }
    }
}
