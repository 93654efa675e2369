package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.PaxosLease;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Reading;
import io.paxoslease.shell.Race;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests that are granted, withdrawn and ended by their callers at the same time, in the hands of the table alone. */
@Tag("slow")
@Tag("jdk")
class LeaseTableConcurrencyTest {

    private static final int ROUNDS = Race.rounds(700);
    private static final int REQUESTS = 40;

    private final Race race = new Race();
    private final HandClock clock = new HandClock();
    private final HandEnvironment environment = new HandEnvironment(clock);
    private final NodeRuntime node = StartedNodes.start(HandEnvironment.OPTIONS, environment);
    private final LeaseTable table = node.newTable();
    private final Reading later = clock.read().plusNanos(1_000_000_000);

    @AfterEach
    void stop() {
        race.close();
        environment.close();
    }

    /** One request; its id is its lease's token as well. */
    private final class Request {
        final long id;
        final CompletableFuture<HeldLease> answer = new CompletableFuture<>();

        Request(long id) {
            this.id = id;
            table.await(id, "r" + id, answer);
        }

        void grant() {
            table.apply(new Effect.Granted(id, "r" + id, id, later, later.moment()));
            table.finish();
        }

        /** As {@link PaxosLease#tryAcquire} does when it is interrupted. */
        void endAndWithdraw() {
            if (!answer.cancel(false) && !answer.isCompletedExceptionally()) {
                answer.join().release();
            }
            table.withdraw(id);
        }

        boolean isGiven() {
            return !answer.isCompletedExceptionally();
        }
    }

    /** Nothing is left over: a lease that was granted is in the caller's hands, or given up, and given up once. */
    @Test
    void aGrantMeetsTheEndOfItsRequest() throws InterruptedException {
        for (int round = 0; round < ROUNDS; round++) {
            AtomicInteger givenUp = new AtomicInteger();
            environment.loop.runAtOnce(givenUp::incrementAndGet);
            List<Request> requests = requests();
            race.run(
                    () -> requests.forEach(Request::grant),
                    () -> requests.forEach(request -> request.answer.cancel(false)));
            long given = requests.stream().filter(Request::isGiven).count();
            assertThat(givenUp).hasValue((int) (REQUESTS - given));
            requests.stream()
                    .filter(Request::isGiven)
                    .forEach(request -> request.answer.join().release());
            assertThat(givenUp).hasValue(REQUESTS);
        }
    }

    /** Whoever withdraws holds nothing afterwards: the grant came first and was released, or comes later and is given up. */
    @Test
    void aGrantMeetsTheWithdrawalOfItsRequest() throws InterruptedException {
        for (int round = 0; round < ROUNDS; round++) {
            AtomicInteger givenUp = new AtomicInteger();
            environment.loop.runAtOnce(givenUp::incrementAndGet);
            List<Request> requests = requests();
            race.run(() -> requests.forEach(Request::grant), () -> requests.forEach(Request::endAndWithdraw));
            assertThat(requests)
                    .noneMatch(request ->
                            request.isGiven() && request.answer.join().isHeld());
            assertThat(givenUp.get()).isBetween(1, REQUESTS);
        }
    }

    /** Whoever ends the node looks through the table: what is not there must not be held, however far a revocation has come. */
    @Test
    @Timeout(60)
    void aLeaseIsInTheTableAsLongAsItIsHeld() throws InterruptedException {
        Request request = new Request(1);
        request.grant();
        HeldLease lease = request.answer.join();
        Thread revoker = new Thread(() -> table.revoke("r1"));
        synchronized (lease) {
            revoker.start();
            while (revoker.getState() != Thread.State.BLOCKED) {
                Thread.onSpinWait();
            }
            assertThat(lease.isHeld()).isTrue();
            assertThat(table.heldCount()).isOne();
        }
        revoker.join();

        assertThat(lease.isHeld()).isFalse();
        assertThat(table.heldCount()).isZero();
        assertThat(table.revoke("r1")).isFalse();
    }

    private List<Request> requests() {
        return LongStream.rangeClosed(1, REQUESTS).mapToObj(Request::new).toList();
    }
}
