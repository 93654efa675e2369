package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.paxoslease.AcquireOptions;
import io.paxoslease.PaxosLeaseException;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.FailingAppender;
import io.paxoslease.testing.Futures;
import io.paxoslease.testing.LogCapture;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Memory that is missing for a moment, where something has been taken out of a table and is to be told: no caller waits for ever, and no
 * lease is renewed without a holder.
 */
@Timeout(60)
class WithoutMemoryTest {

    private static final AcquireOptions RENEWING = AcquireOptions.renewing();
    private final PaxosLeaseException failed = new PaxosLeaseException("the node has failed");

    private final List<Message> sent = new CopyOnWriteArrayList<>();
    private final HandClock clock = new HandClock();
    private final HandEnvironment environment = HandEnvironment.withThread(clock, sent::add);
    private final NodeRuntime node = StartedNodes.start(HandEnvironment.OPTIONS, environment);
    private final AtomicBoolean full = new AtomicBoolean();

    @AfterEach
    void stop() {
        full.set(false);
        environment.close();
    }

    @Test
    void theCellHearsOfAReleaseThatFoundNoMemory() throws Exception {
        HeldLease lease = held("r");
        fails(event -> event instanceof Event.GiveUp);
        Throwable thrown = catchThrowable(lease::release);

        assertThat(lease.isHeld()).isFalse();
        assertThat(node.table().heldCount()).isZero();
        assertReleasedOnce("r");
        assertThat(thrown).isNull();
    }

    /** Linked by the leases themselves: none falls out, and none is released twice. */
    @Test
    void theCellHearsOfEachOfManyReleasesThatFoundNoMemory() throws Exception {
        List<HeldLease> leases = List.of(held("r"), held("s"), held("t"));
        AtomicBoolean still = new AtomicBoolean(true);
        plantEvents(event -> event instanceof Event.GiveUp && still.get());
        leases.forEach(lease -> assertThatCode(lease::release).doesNotThrowAnyException());
        leases.forEach(lease -> assertThatCode(() -> node.giveUp(lease)).doesNotThrowAnyException());
        beat();
        still.set(false);

        assertReleasedOnce("r");
        assertReleasedOnce("s");
        assertReleasedOnce("t");
    }

    @Test
    void theCellHearsOfARevocationThatFoundNoMemory() throws Exception {
        HeldLease lease = held("r");
        fails(event -> event instanceof Event.GiveUp);
        Throwable unused = catchThrowable(() -> node.table().revoke("r"));

        assertThat(lease.isHeld()).isFalse();
        assertReleasedOnce("r");
    }

    @Test
    void aRequestThatFoundNoMemoryLeavesNothingBehind() throws Exception {
        fails(event -> event instanceof Event.Acquire);
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> StartedNodes.acquire(node, "r", RENEWING));

        List<String> known = new ArrayList<>();
        node.table().addResources(known);
        assertThat(known).isEmpty();
    }

    /** The request has been taken, and its answer finds no place. */
    @Test
    void aGrantThatFindsNoMemoryIsAnsweredByTheFailure() throws Exception {
        set(LeaseTable.class, node.table(), "answers", new ArrayDeque<Runnable>() {
            @Override
            public boolean add(Runnable answer) {
                failOnce();
                return super.add(answer);
            }
        });
        full.set(true);

        assertThat(StartedNodes.acquire(node, "r", RENEWING))
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableThat()
                .havingRootCause()
                .satisfiesAnyOf(
                        cause -> assertThat(cause).isInstanceOf(OutOfMemoryError.class),
                        cause -> assertThat(cause) // by the caller, which has seen the fault first
                                .isInstanceOf(PaxosLeaseException.class)
                                .hasMessageContaining("failed and must be restarted"));
    }

    /** The request has been taken, and its answer is not given yet. */
    @Test
    void aGrantThatMeetsAWithdrawalWithoutMemoryIsReleased() throws Exception {
        CompletableFuture<HeldLease> answer = new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean mayInterruptIfRunning) {
                throw new OutOfMemoryError("planted");
            }

            @Override
            public boolean completeExceptionally(Throwable failure) {
                throw new OutOfMemoryError("planted");
            }
        };
        long id = node.table().nextId();
        PendingLease pending = new PendingLease(node, "r", id, answer);
        set(LeaseTable.class, node.table(), "answers", new ArrayDeque<Runnable>() {
            @Override
            public boolean add(Runnable given) {
                Throwable unused = catchThrowable(pending::withdraw); // as by the thread that waits
                return super.add(given);
            }
        });
        node.acquire("r", RENEWING, false, null, id, answer, null);

        assertReleasedOnce("r");
        assertThat(pending.await()).isNull();
        assertThat(pending.hasFailed()).isTrue();
    }

    @Test
    void anAnswerThatCannotBeGivenKeepsNoCallerWaiting() {
        LeaseTable table = node.newTable();
        CompletableFuture<HeldLease> granted = failing();
        CompletableFuture<HeldLease> denied = failing();
        CompletableFuture<HeldLease> last = new CompletableFuture<>();
        table.await(1, "r", granted);
        table.await(2, "s", denied);
        table.await(3, "t", last);
        grant(table, 1, "r");
        table.apply(new Effect.Denied(2, "s", Effect.Denial.HELD, null));
        grant(table, 3, "t");
        full.set(true);
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(table::finish);
        full.set(true);
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(table::finish);

        table.failRequests(failed);
        assertThat(List.of(granted, denied, last)).allMatch(CompletableFuture::isCompletedExceptionally);
        table.finish(); // what it had ready comes too late
        List<String> known = new ArrayList<>();
        table.addResources(known);
        assertThat(known).containsExactlyInAnyOrder("r", "t"); // held, and no caller waits
    }

    @Test
    void aQuestionWhoseAnswerCannotBeGivenIsAnsweredByTheFailure() {
        LeaseTable table = node.newTable();
        AtomicBoolean first = new AtomicBoolean(true);
        CompletableFuture<Boolean> answer = new CompletableFuture<>() {
            @Override
            public boolean complete(Boolean value) {
                if (first.getAndSet(false)) {
                    throw new OutOfMemoryError("planted");
                }
                return super.complete(value);
            }
        };
        table.awaitAnswer(1, answer);
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> table.apply(new Effect.HolderKnown(1)));

        table.failRequests(failed);
        assertThat(answer).isCompletedWithValue(false);
    }

    /** Neither the task nor the line finds memory: who hands an event over does not hear of it, and the next beat takes it. */
    @Test
    void aLineThatCannotBeLoggedHasNoConsequences() {
        DelegatingEnvironment withoutTasks = new DelegatingEnvironment(environment) {
            private final HandLoop loop = new HandLoop() {
                @Override
                public synchronized void execute(Runnable task) {
                    failOnce();
                    super.execute(task);
                }
            };

            @Override
            public HandLoop loop() {
                return loop;
            }
        };
        NodeRuntime other = StartedNodes.start(HandEnvironment.OPTIONS, withoutTasks);
        try (LogCapture log = LogCapture.ofNode();
                FailingAppender appender = FailingAppender.onNode(line -> true)) {
            full.set(true);
            Throwable thrown = catchThrowable(() -> other.runner().submit(new Event.Woken()));
            assertThat(thrown).isNull();
            assertThat(appender.failures()).isOne();
            assertThat(log.lines()).hasSize(1);
        }
    }

    private HeldLease held(String resource) throws Exception {
        return Futures.get(StartedNodes.acquire(node, resource, RENEWING));
    }

    private void grant(LeaseTable table, long id, String resource) {
        Reading until = clock.read().plusNanos(60_000_000_000L);
        table.apply(new Effect.Granted(id, resource, id, until, until.moment()));
    }

    /** The next event of that kind finds no memory. */
    private void fails(Predicate<Event> which) throws ReflectiveOperationException {
        full.set(true);
        plantEvents(event -> which.test(event) && full.getAndSet(false));
    }

    private void plantEvents(Predicate<Event> failing) throws ReflectiveOperationException {
        set(NodeRunner.class, node.runner(), "events", new ConcurrentLinkedQueue<Event>() {
            @Override
            public boolean add(Event event) {
                if (failing.test(event)) {
                    throw new OutOfMemoryError("planted");
                }
                return super.add(event);
            }
        });
    }

    private static void set(Class<?> type, Object of, String name, Object value) throws ReflectiveOperationException {
        Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        field.set(of, value);
    }

    private void failOnce() {
        if (full.getAndSet(false)) {
            throw new OutOfMemoryError("planted");
        }
    }

    private CompletableFuture<HeldLease> failing() {
        return new CompletableFuture<>() {
            @Override
            public boolean complete(HeldLease lease) {
                failOnce();
                return super.complete(lease);
            }

            @Override
            public boolean completeExceptionally(Throwable failure) {
                failOnce();
                return super.completeExceptionally(failure);
            }
        };
    }

    private void assertReleasedOnce(String resource) {
        Eventually.until("the cell hears of it", () -> {
            beat();
            return releases(resource) > 0;
        });
        beat();
        assertThat(node.runner().ask(machine -> true)).succeedsWithin(Duration.ofSeconds(10));
        assertThat(releases(resource)).isOne();
    }

    private long releases(String resource) {
        return sent.stream()
                .filter(message -> message instanceof PaxosMessage.Release release
                        && release.resource().equals(resource))
                .count();
    }

    /** The loop beats after each task. */
    private void beat() {
        environment.loop.execute(() -> {});
    }
}
