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

    private static final Logger log = LoggerFactory.getLogger(ShardGroup.class);

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
            return; // it has ended already
        }
        boolean isStarted = false;
        try {
            thread(tenure, work).start();
            isStarted = true;
        } catch (Exception | Error withoutThread) { // the factory is the user's, which may throw undeclared
            log.error(
                    "No thread could be had to work on shard {} of group '{}': it is tried again after a while",
                    tenure.index(),
                    Printable.name(group),
                    withoutThread);
        } finally {
            if (!isStarted) {
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
