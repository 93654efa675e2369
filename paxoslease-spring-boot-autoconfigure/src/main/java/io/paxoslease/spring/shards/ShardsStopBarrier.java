package io.paxoslease.spring.shards;

import java.util.function.Supplier;
import org.springframework.context.SmartLifecycle;

/**
 * Keeps the beans of lower phases, and so the node, running until the work on shards has ended or its time is over. The container alone does not: it
 * counts beans that have stopped, and counts a bean of a lower phase too if that depends on one of this phase. And it waits for its own timeout only.
 */
final class ShardsStopBarrier implements SmartLifecycle {

    private final int phase;
    private final Supplier<ShardGroupsLifecycle> groups;
    private volatile boolean running;

    /**
     * @param phase of the groups
     * @param groups no bean that this one depends on: it would stop before the groups then
     */
    ShardsStopBarrier(int phase, Supplier<ShardGroupsLifecycle> groups) {
        this.phase = Math.max(phase, Integer.MIN_VALUE + 1) - 1;
        this.groups = groups;
    }

    @Override
    public void start() {
        running = true;
    }

    /** On the container's thread, which does not begin the next phase before. */
    @Override
    public void stop() {
        running = false;
        groups.get().awaitEnd();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return phase;
    }
}
