package io.paxoslease.node;

import io.paxoslease.protocol.Event;

/** What a part of a running node may ask of it. Thread-safe. */
interface RunningNode {

    String nodeId();

    /** Names a request or a question. */
    long nextId();

    /** As {@link NodeRunner#submit}. */
    void submit(Event event);

    /** Runs the task on the node's thread, after the tasks that were handed over before; false when there is no thread any more. */
    boolean execute(Runnable task);

    /** Whether it has been stopped, or has failed. */
    boolean isOver();

    CallbackRunner callbacks();

    NodeClock clock();
}
