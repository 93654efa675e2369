package io.paxoslease.shards;

import io.paxoslease.node.Threads;
import io.paxoslease.protocol.Printable;
import io.paxoslease.shards.ShardTenure.End;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gives each stretch of work on a shard its thread. */
final class WorkThreads {

    private static final Logger log = LoggerFactory.getLogger(ShardNames.LOGGER);

    private final String group;
    private final @Nullable ThreadFactory factory;

    WorkThreads(String group, @Nullable ThreadFactory factory) {
        this.group = group;
        this.factory = factory;
    }

    /** Without a thread the work has failed, and is tried again after a while. Never throws. */
    void start(ShardTenure tenure, ShardWorker worker) {
        ShardWork work = new ShardWork(tenure, worker);
        if (!tenure.guard().add(work)) {
            return; // the tenure has ended
        }
        try {
            thread(tenure, work).start();
        } catch (Exception | Error withoutThread) { // the factory is the user's, which may throw undeclared
            notStarted(tenure, work, withoutThread);
        }
    }

    /** If the work runs in spite of it, as on a thread that the factory has started, it keeps the shard. */
    private void notStarted(ShardTenure tenure, ShardWork work, Throwable failure) {
        boolean isTaken = !work.take();
        try {
            log.error(
                    "No thread could be started to work on shard {} of group '{}': {}",
                    tenure.index(),
                    Printable.name(group),
                    isTaken
                            ? "its factory has started it. Return threads that are not started"
                            : "it is tried again after a while",
                    failure);
        } finally {
            if (!isTaken) {
                tenure.mark(End.FAILED);
                tenure.guard().endParts();
                tenure.guard().remove(work);
            }
        }
    }

    private Thread thread(ShardTenure tenure, ShardWork work) {
        ThreadFactory chosen =
                factory == null ? Threads.daemon("paxoslease-shard-%s-%d".formatted(group, tenure.index())) : factory;
        Thread thread = chosen.newThread(work);
        if (thread == null) {
            throw new IllegalStateException("The thread factory of group '%s' makes no threads".formatted(group));
        }
        return thread;
    }
}
