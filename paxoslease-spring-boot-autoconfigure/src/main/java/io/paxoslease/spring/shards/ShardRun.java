package io.paxoslease.spring.shards;

import io.paxoslease.protocol.Printable;
import io.paxoslease.shards.Shard;
import io.paxoslease.shards.ShardCall;
import io.paxoslease.shards.ShardNotOwnedException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One stretch of work on a shard, from its grant to its revocation. Used by the shard's thread. */
final class ShardRun {

    private static final Logger log = LoggerFactory.getLogger(OnShard.class);

    private final GroupWorker worker;
    private final Shard shard;
    private final Deque<AutoCloseable> components = new ArrayDeque<>();
    /** Those of the tasks, if there are several: each may block. */
    private final List<Thread> threads = new ArrayList<>();

    ShardRun(GroupWorker worker, Shard shard) {
        this.worker = worker;
        this.shard = shard;
    }

    /**
     * Opens what the work needs.
     *
     * @throws Exception that has failed, or has ended by the interrupt
     */
    void begin() throws Exception {
        for (ShardComponentFactory<?> factory : worker.factories()) {
            components.push(opened(factory, shard));
        }
        for (ShardMethod method : worker.granted()) {
            method.call(shard);
        }
        worker.hasBegun(shard);
    }

    /**
     * Works until there is nothing left to do; the interrupt of this thread ends it.
     *
     * @throws Exception the work has failed, or has ended by the interrupt
     */
    void work() throws Exception {
        List<ShardTask> tasks = worker.tasks();
        if (tasks.size() == 1) {
            tasks.get(0).run(worker.group(), shard);
        } else if (!tasks.isEmpty()) {
            runAll(tasks);
        }
    }

    private static AutoCloseable opened(ShardComponentFactory<?> factory, Shard shard) throws Exception {
        AutoCloseable component = factory.open(shard);
        if (component == null) {
            throw new IllegalStateException("%s.open(Shard) returned null: return what is to be closed with the shard"
                    .formatted(factory.getClass().getName()));
        }
        return component;
    }

    /** The first one that fails ends all: the failure of this thread's call interrupts the others. */
    private void runAll(List<ShardTask> tasks) throws Exception {
        CompletableFuture<Void> outcome = new CompletableFuture<>();
        AtomicInteger running = new AtomicInteger(tasks.size());
        for (ShardTask task : tasks) {
            Thread thread = worker.thread(shard, threads.size() + 1, () -> {
                runGuarded(task, outcome);
                if (running.decrementAndGet() == 0) {
                    outcome.complete(null);
                }
            });
            thread.start();
            threads.add(thread);
        }
        try {
            outcome.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw e.getCause() instanceof Exception failure ? failure : e;
        }
    }

    /** The call keeps the shard from its release, and is interrupted when the work must end. */
    private void runGuarded(ShardTask task, CompletableFuture<Void> outcome) {
        ShardCall call = worker.group().enter(shard.index(), true).orElse(null);
        if (call == null) {
            outcome.completeExceptionally(new ShardNotOwnedException(
                    shard.group(), shard.index(), "The work on the shard has ended before all of it began"));
            return;
        }
        try (call) {
            task.run(worker.group(), shard);
        } catch (Exception | Error e) { // user code, which may throw undeclared
            outcome.completeExceptionally(e); // not looked at if it is the interrupt
        }
    }

    void end() {
        threads.forEach(ShardRun::join);
        for (ShardMethod method : worker.revoked()) {
            quietly(method.toString(), () -> method.call(shard));
        }
        while (!components.isEmpty()) {
            AutoCloseable component = components.pop();
            quietly("close() of " + Printable.name(component.getClass().getName()), component::close);
        }
    }

    /** Whatever interrupts this thread: the shard is released after it. */
    private static void join(Thread thread) {
        boolean isInterrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private interface Step {
        void run() throws Exception;
    }

    private void quietly(String what, Step step) {
        try {
            step.run();
        } catch (Exception | Error e) { // user code, which may throw undeclared
            log.error(
                    "At the end of the work on shard {} of group '{}', {} failed",
                    shard.index(),
                    Printable.name(shard.group()),
                    Printable.text(what),
                    e);
        }
    }
}
