package io.paxoslease.spring.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.paxoslease.LeaseTimeoutException;
import io.paxoslease.testing.InMemoryCell;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/** Nobody who waits for a lock of another instance holds up the stop of the application. */
@SuppressWarnings("LockNotBeforeTry") // who waits is what is tested
class LockRegistryStopTest {

    private final InMemoryCell cell = InMemoryCell.of("a", "b", "c");
    private final PaxosLeaseLockRegistry theirs = new PaxosLeaseLockRegistry(cell.node("b"));
    private final GenericApplicationContext context = new GenericApplicationContext();

    @AfterEach
    void close() {
        context.close();
        cell.close();
    }

    private PaxosLeaseLock mine() {
        context.registerBean(PaxosLeaseLockRegistry.class, () -> new PaxosLeaseLockRegistry(cell.node("a")));
        context.refresh();
        return context.getBean(PaxosLeaseLockRegistry.class).obtain("k");
    }

    private static FutureTask<Boolean> waiting(PaxosLeaseLock lock) {
        FutureTask<Boolean> task = new FutureTask<>(() -> {
            lock.lock();
            lock.unlock();
            return true;
        });
        Thread thread = new Thread(task, "waits");
        thread.setDaemon(true);
        thread.start();
        await().until(() -> thread.getState() == Thread.State.WAITING);
        return task;
    }

    @Test
    void aThreadThatWaitsGivesUpWhenTheContextCloses() {
        theirs.obtain("k").lock();
        FutureTask<Boolean> waiting = waiting(mine());

        context.close();

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> waiting.get(10, TimeUnit.SECONDS))
                .withCauseInstanceOf(LeaseTimeoutException.class);
    }

    @Test
    void afterANewStartThreadsWaitAgain() throws Exception {
        PaxosLeaseLock lock = mine();
        context.stop();
        context.start();
        PaxosLeaseLock other = theirs.obtain("k");
        other.lock();
        FutureTask<Boolean> waiting = waiting(lock);

        other.unlock();

        assertThat(waiting.get(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void waitsEndBeforeTheWebServerWaitsForItsRequests() {
        mine();
        assertThat(context.getBean(PaxosLeaseLockRegistry.class).getPhase())
                .isGreaterThan(WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE);
    }
}
