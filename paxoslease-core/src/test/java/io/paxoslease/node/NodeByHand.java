package io.paxoslease.node;

import io.paxoslease.protocol.Event;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/** A node whose thread is the test: it runs tasks when the test does, and answers no event. */
final class NodeByHand implements RunningNode {

    final Queue<Runnable> tasks = new ArrayDeque<>();
    final List<Event> events = new ArrayList<>();
    private final CallbackRunner callbacks = new CallbackRunner("n", Runnable::run);
    private final NodeClock clock;

    NodeByHand(NodeClock clock) {
        this.clock = clock;
    }

    void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    @Override
    public String nodeId() {
        return "n";
    }

    @Override
    public long nextId() {
        return 1;
    }

    @Override
    public void submit(Event event) {
        events.add(event);
    }

    @Override
    public boolean execute(Runnable task) {
        return tasks.add(task);
    }

    @Override
    public boolean isOver() {
        return false;
    }

    @Override
    public CallbackRunner callbacks() {
        return callbacks;
    }

    @Override
    public NodeClock clock() {
        return clock;
    }
}
