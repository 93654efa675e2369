package io.paxoslease.spring.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.paxoslease.PaxosLease;
import io.paxoslease.locks.LeaseLock;
import io.paxoslease.locks.LeaseLocks;
import io.paxoslease.locks.LockOptions;
import io.paxoslease.spring.autoconfigure.PaxosLeaseTestSupport;
import io.paxoslease.spring.leader.SwitchedBean;
import io.paxoslease.testing.InMemoryCell;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** When beans of a configured application may wait for locks that other instances hold. */
@SuppressWarnings("LockNotBeforeTry") // who waits is what is tested
class LockWaitsTest {

    private final InMemoryCell cell = InMemoryCell.of("a", "b", "c");
    private final LeaseLock theirs = new LeaseLocks(cell.node("b"), LockOptions.defaults()).get("k");
    private final ApplicationContextRunner runner =
            PaxosLeaseTestSupport.runner().withBean(PaxosLease.class, () -> cell.node("a"));

    @AfterEach
    void close() {
        cell.close();
    }

    /** Runs the code, which waits for their lock, while that is held. */
    private void assertThatItWaits(Runnable code) {
        theirs.lock();
        FutureTask<Boolean> task = new FutureTask<>(code, true);
        Thread thread = new Thread(task, "waits");
        thread.setDaemon(true);
        thread.start();
        await().until(() -> task.isDone() || thread.getState() == Thread.State.WAITING);
        theirs.unlock();
        assertThat(task).succeedsWithin(Duration.ofSeconds(10));
    }

    @Test
    void aBeanMayWaitWhileItStartsAlsoAfterAStop() {
        runner.withBean(Migration.class).run(context -> {
            ConfigurableApplicationContext application = context.getSourceApplicationContext();
            context.getBean(Migration.class).stop();
            assertThatItWaits(application::start);
            application.stop();
            cell.node("a").start();
            cell.advance(Duration.ofSeconds(30)); // its quarantine is over
            assertThatItWaits(application::start);
            assertThat(context.getBean(Migration.class).isRunning()).isTrue();
        });
    }

    @Test
    void theEndOfAChildEndsNoWaitOfItsParent() {
        runner.run(parent -> {
            AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext();
            child.setParent(parent.getSourceApplicationContext());
            child.register(PaxosLeaseTestSupport.autoConfigurations());
            child.refresh();
            child.close();
            LeaseLock lock = parent.getBean(LeaseLocks.class).get("k");
            assertThatItWaits(() -> {
                lock.lock();
                lock.unlock();
            });
        });
    }

    static class Migration extends SwitchedBean implements SmartLifecycle {

        private final LeaseLocks locks;

        Migration(LeaseLocks locks) {
            this.locks = locks;
        }

        @Override
        public void start() {
            LeaseLock lock = locks.get("k");
            lock.lock();
            lock.unlock();
            super.start();
        }

        @Override
        public int getPhase() {
            return 0;
        }
    }
}
