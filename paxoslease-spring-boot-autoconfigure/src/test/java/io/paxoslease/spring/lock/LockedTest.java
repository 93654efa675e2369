package io.paxoslease.spring.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import io.paxoslease.Lease;
import io.paxoslease.LeaseLostException;
import io.paxoslease.PaxosLease;
import io.paxoslease.locks.LeaseLock;
import io.paxoslease.locks.LeaseLocks;
import io.paxoslease.locks.LeaseSemaphore;
import io.paxoslease.locks.LockOptions;
import io.paxoslease.spring.autoconfigure.PaxosLeaseTestSupport;
import io.paxoslease.testing.InMemoryCell;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.integration.support.locks.DefaultLockRegistry;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Calls of {@link Locked} methods on node a. The clock of the cell stands still unless a test moves it. */
@Timeout(60)
@SuppressWarnings("LockNotBeforeTry") // when a lock is free is what is tested
class LockedTest {

    record Order(String id) {}

    private static final Order SEVEN = new Order("7");
    private static final Order EIGHT = new Order("8");
    private static final Duration TWO_SECONDS = Duration.ofSeconds(2);

    private final InMemoryCell cell = InMemoryCell.of("a", "b", "c");
    private final LeaseLocks others = new LeaseLocks(cell.node("b"), LockOptions.defaults());
    private final LeaseLock theirs = others.get("orders:7");
    private final ApplicationContextRunner runner = PaxosLeaseTestSupport.runner()
            .withBean(PaxosLease.class, () -> cell.node("a"))
            .withBean(Shop.class)
            .withBean(Stock.class)
            .withPropertyValues("app.wait=2s");

    @AfterEach
    void close() {
        cell.close();
    }

    private static FutureTask<String> waiting(Runnable call) {
        FutureTask<String> task = new FutureTask<>(call, "returned");
        Thread thread = new Thread(task, "waits");
        thread.setDaemon(true);
        thread.start();
        await().until(thread::getState, state -> state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING);
        return task;
    }

    @Test
    void callsWithOneKeyRunOneAtATime() {
        runner.run(context -> {
            Shop shop = context.getBean(Shop.class);
            theirs.lock();
            assertThatExceptionOfType(LockUnavailableException.class)
                    .isThrownBy(() -> shop.ship(SEVEN))
                    .withMessage(
                            "Shop.ship() was not called: its lock 'orders:7' was not granted at once; another call holds it, or no majority answers")
                    .satisfies(refused -> assertThat(refused.key()).isEqualTo("orders:7"));
            assertThat(shop.ship(EIGHT)).isEqualTo("shipped 8");
            theirs.unlock();
            cell.advance(Duration.ofSeconds(2));
            assertThat(shop.ship(SEVEN)).isEqualTo("shipped 7");
        });
    }

    @Test
    void theMethodRunsUnderTheLock() {
        runner.run(context -> context.getBean(Shop.class).inside(SEVEN, () -> {
            assertThat(theirs.tryLock()).isFalse();
            LockedCall call = LockedCall.current();
            PaxosLeaseLock same = context.getBean(PaxosLeaseLockRegistry.class).obtain("orders:7");
            assertThat(same.isHeldByCurrentThread()).isTrue();
            assertThat(call.key()).isEqualTo("orders:7");
            assertThat(call.isHeld()).isTrue();
            assertThat(call.fencingToken()).isEqualTo(same.fencingToken()).isPositive();
            assertThat(call.remaining()).isPositive().isEqualTo(same.remaining());
            call.check();
        }));
        assertThatIllegalStateException()
                .isThrownBy(LockedCall::current)
                .withMessageStartingWith("This thread is in no @Locked call");
    }

    @Test
    void aSkippedCallReturnsAnEmptyValue() {
        runner.run(context -> {
            Shop shop = context.getBean(Shop.class);
            theirs.lock();
            assertThat(shop.skippedText(SEVEN)).isNull();
            assertThat(shop.skippedOptional(SEVEN)).isEmpty();
            assertThat(shop.skippedList(SEVEN)).isEmpty();
            assertThat(shop.skippedList(EIGHT)).containsExactly("8");
        });
    }

    @Test
    void aCallWaitsAsLongAsItSays() {
        runner.run(context -> {
            Shop shop = context.getBean(Shop.class);
            theirs.lock();
            FutureTask<String> granted = waiting(() -> shop.waits(SEVEN));
            cell.advance(Duration.ofSeconds(1));
            theirs.unlock();
            assertThat(granted.get(10, TimeUnit.SECONDS)).isEqualTo("returned");
            theirsAgain();

            FutureTask<String> late = waiting(() -> shop.waits(SEVEN));
            advanceUntilDone(late);
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> late.get(10, TimeUnit.SECONDS))
                    .havingCause()
                    .isInstanceOf(LockUnavailableException.class)
                    .withMessageContaining("was not granted within PT2S");
        });
    }

    /** Threads get on meanwhile. */
    private void advanceUntilDone(FutureTask<String> task) {
        await().until(() -> {
            cell.advance(Duration.ofSeconds(1));
            return task.isDone();
        });
    }

    /** Node a retains the lease for a second after a call. */
    private void theirsAgain() {
        cell.advance(TWO_SECONDS);
        theirs.lock();
    }

    @Test
    void withoutATimeACallWaitsAsLockDoes() {
        runner.withPropertyValues("paxoslease.locks.wait-timeout=1h").run(context -> {
            Shop shop = context.getBean(Shop.class);
            theirs.lock();
            FutureTask<String> waiting = waiting(() -> shop.waitsLong(SEVEN));
            cell.advance(Duration.ofMinutes(59).plusSeconds(55));
            assertThat(waiting.isDone()).isFalse();
            advanceUntilDone(waiting);
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> waiting.get(10, TimeUnit.SECONDS))
                    .withCauseInstanceOf(LockUnavailableException.class);
        });
    }

    @Test
    void nestedCallsOfOneKeyShareTheLock() {
        runner.run(context -> {
            Stock stock = context.getBean(Stock.class);
            context.getBean(Shop.class).inside(SEVEN, () -> {
                long token = LockedCall.current().fencingToken();
                stock.reserve("7", () -> assertThat(LockedCall.current().fencingToken())
                        .isEqualTo(token));
                stock.count("7", () -> assertThat(LockedCall.current().key()).isEqualTo("stock"));
                assertThat(LockedCall.current().key()).isEqualTo("orders:7");
                assertThat(LockedCall.current().isHeld()).isTrue();
            });
            assertThat(theirs.tryLock()).isTrue();
        });
    }

    @Test
    void aLossIsToldWhileTheMethodRunsAndWhenItReturns() {
        CountDownLatch told = new CountDownLatch(1);
        runner.run(context -> assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> context.getBean(Shop.class).inside(SEVEN, () -> {
                    LockedCall call = LockedCall.current();
                    call.onLost(told::countDown);
                    cell.node("a").stop();
                    await().until(() -> told.getCount() == 0);
                    assertThat(call.isHeld()).isFalse();
                    assertThat(call.remaining()).isZero();
                    assertThatExceptionOfType(LeaseLostException.class)
                            .isThrownBy(call::check)
                            .withMessageContaining("the @Locked call with the key orders:7 ended while it ran");
                })));
    }

    @Test
    void aFailureOfTheMethodIsNotHiddenByALoss() {
        runner.run(context -> assertThatIllegalStateException()
                .isThrownBy(() -> context.getBean(Shop.class).inside(SEVEN, () -> {
                    cell.node("a").stop();
                    throw new IllegalStateException("of the method");
                }))
                .withMessage("of the method")
                .satisfies(failure ->
                        assertThat(failure.getSuppressed()).singleElement().isInstanceOf(LeaseLostException.class)));
    }

    @Test
    void theLockIsReleasedWhenTheMethodThrows() {
        runner.run(context -> {
            assertThatIllegalStateException()
                    .isThrownBy(() -> context.getBean(Shop.class).inside(SEVEN, () -> {
                        throw new IllegalStateException("of the method");
                    }));
            assertThat(theirs.tryLock()).isTrue();
        });
    }

    @Test
    void aThreadThatIsInterruptedWhileItWaitsIsRefused() {
        runner.run(context -> {
            theirs.lock();
            Thread.currentThread().interrupt();
            assertThatExceptionOfType(LockUnavailableException.class)
                    .isThrownBy(() -> context.getBean(Shop.class).waitsLong(SEVEN));
            assertThat(Thread.interrupted()).isTrue();
        });
    }

    @Test
    void asManyCallsAsPermitsRunAtATime() throws InterruptedException {
        LeaseSemaphore semaphore = new LeaseSemaphore(others, "imports", 2);
        List<String> ran = new ArrayList<>();
        try (Lease theirPermit = semaphore.acquire()) {
            runner.run(context -> {
                Shop shop = context.getBean(Shop.class);
                shop.imports(() -> {
                    LockedCall call = LockedCall.current();
                    assertThat(call.key()).isEqualTo("imports");
                    assertThat(call.isHeld()).isTrue();
                    assertThat(call.remaining()).isPositive();
                    assertThat(call.fencingToken()).isPositive();
                    shop.imports(() -> ran.add("a third"));
                    ran.add("the second");
                });
                shop.imports(() -> ran.add("the next"));
                CountDownLatch told = new CountDownLatch(1);
                assertThatExceptionOfType(LeaseLostException.class)
                        .isThrownBy(() -> shop.imports(() -> {
                            LockedCall.current().onLost(told::countDown);
                            cell.node("a").stop();
                            await().until(() -> told.getCount() == 0);
                        }));
            });
            assertThat(theirPermit.isHeld()).isTrue();
        }
        assertThat(ran).containsExactly("the second", "the next");
    }

    @Test
    void waitsEndWhenTheApplicationStops() {
        theirs.lock();
        List<FutureTask<String>> waiting = new ArrayList<>();
        // With a registry of another kind: ours would end the waits as well.
        runner.withBean(DefaultLockRegistry.class, () -> new DefaultLockRegistry())
                .run(context -> {
                    Shop shop = context.getBean(Shop.class);
                    waiting.add(waiting(() -> shop.waitsLong(SEVEN)));
                });
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> waiting.get(0).get(10, TimeUnit.SECONDS))
                .withCauseInstanceOf(LockUnavailableException.class);
    }

    @Test
    void aRefusedRequestIsAConflict() {
        runner.withBean(Web.class).run(context -> {
            theirs.lock();
            var web =
                    MockMvcBuilders.standaloneSetup(context.getBean(Web.class)).build();
            web.perform(post("/orders/7")).andExpect(status().isConflict());
            web.perform(post("/orders/8")).andExpect(status().isOk());
        });
    }

    /** What expressions may name besides the parameters. */
    @Test
    void aKeyMayNameABeanAndAPosition() {
        runner.withBean("tenant", Tenant.class).run(context -> context.getBean(Stock.class)
                .ofTenant("x", () -> assertThat(LockedCall.current().key()).isEqualTo("blue/x")));
    }

    /** As ShedLock's users write them. */
    @Test
    void aNameMayHaveExpressions() {
        runner.withBean("tenant", Tenant.class).withBean(Named.class).run(context -> {
            Named named = context.getBean(Named.class);
            assertThat(named.ofRegion("north")).isEqualTo("report-2s-north");
            assertThat(named.ofTenant()).isEqualTo("report-blue");
            assertThat(named.ofBoth("north", "7:x")).isEqualTo("blue\\:north:7:x");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> named.ofRegion(null))
                    .withMessage(
                            "The name '#region' of the @Locked method Named.ofRegion() is null: all such calls would have one lock. Pass a value, or choose another name");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> named.ofRegion(""))
                    .withMessageContaining("is empty");
        });
    }

    @Test
    void theKeyOfACallMayBeMissing() {
        runner.run(
                context -> assertThatIllegalArgumentException()
                        .isThrownBy(() -> context.getBean(Stock.class).reserve(null, () -> {}))
                        .withMessage(
                                "The key '#item' of the @Locked method Stock.reserve() is null: all such calls would have one lock. Pass a value, or choose another key"));
    }

    static class Shop {

        @Locked(name = "orders", key = "#order.id", waitFor = "0s")
        String ship(Order order) {
            return "shipped " + order.id();
        }

        @Locked(name = "orders", key = "#order.id")
        void inside(Order order, Runnable code) {
            code.run();
        }

        @Locked(name = "orders", key = "#order.id", otherwise = Locked.Otherwise.SKIP)
        @Nullable
        String skippedText(Order order) {
            return order.id();
        }

        @Locked(name = "orders", key = "#order.id", otherwise = Locked.Otherwise.SKIP)
        Optional<String> skippedOptional(Order order) {
            return Optional.of(order.id());
        }

        @Locked(name = "orders", key = "#order.id", otherwise = Locked.Otherwise.SKIP)
        List<String> skippedList(Order order) {
            return List.of(order.id());
        }

        @Locked(name = "orders", key = "#order.id", waitFor = "${app.wait}")
        void waits(Order order) {}

        @Locked(name = "orders", key = "#order.id")
        void waitsLong(Order order) {}

        @Locked(name = "imports", permits = 2, otherwise = Locked.Otherwise.SKIP)
        void imports(Runnable code) {
            code.run();
        }
    }

    static class Stock {

        @Locked(name = "orders", key = "#item", waitFor = "0s")
        void reserve(@Nullable String item, Runnable code) {
            code.run();
        }

        @Locked("stock")
        void count(String item, Runnable code) {
            code.run();
        }

        @Locked(key = "@tenant.name + '/' + #a0")
        void ofTenant(String item, Runnable code) {
            code.run();
        }
    }

    static class Named {

        @Locked("report-${app.wait}-#{#region}")
        String ofRegion(@Nullable String region) {
            return LockedCall.current().key();
        }

        @Locked("report-#{@tenant.name}")
        String ofTenant() {
            return LockedCall.current().key();
        }

        @Locked(name = "#{@tenant.name + ':' + #region}", key = "#id")
        String ofBoth(String region, String id) {
            return LockedCall.current().key();
        }
    }

    static class Tenant {

        public String getName() {
            return "blue";
        }
    }

    @RestController
    static class Web {

        @PostMapping("/orders/{id}")
        @Locked(name = "orders", key = "#id", waitFor = "0s")
        public void ship(@PathVariable String id) {}
    }
}
