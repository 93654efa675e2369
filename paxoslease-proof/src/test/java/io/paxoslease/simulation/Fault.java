package io.paxoslease.simulation;

/**
 * What goes wrong, when, and for how long, in real simulated nanoseconds. All faults of a run are drawn up front; nodes are
 * named by their index.
 */
sealed interface Fault {

    /** When it begins. */
    long at();

    /** How long it lasts; zero for what happens in an instant. */
    long duration();

    /** The process dies and starts again without its memory; perhaps with what was on its way to it, or by it. */
    record Crash(long at, long duration, int victim, boolean messagesSurvive, boolean reboots) implements Fault {}

    /** The node is stopped and started again in the same process. */
    record CleanStop(long at, long duration, int victim) implements Fault {}

    /**
     * An operator ends the process, gives the node another configuration file, and starts it again.
     *
     * @param file which of {@link Changes#files}; negative: none, and the node is not started any more
     * @param waits whether the operator waits until the change before is sealed
     */
    record Deploy(long at, long duration, int victim, int file, boolean waits) implements Fault {}

    /**
     * An operator asks for a change by the store of the members: those that run move.
     *
     * @param file which of {@link Changes#files}
     * @param waits as of {@link Deploy}
     */
    record Store(long at, int file, boolean waits) implements Fault {
        @Override
        public long duration() {
            return 0;
        }
    }

    /**
     * The process stands still after so many more tasks of its loop, while its clocks run.
     *
     * @param timersFirst whether its overdue timers run before the messages that came in meanwhile
     */
    record Pause(long at, long duration, int victim, int afterTasks, boolean timersFirst) implements Fault {}

    /** One thread stands still in the middle of something. */
    record Stall(long at, long duration, int victim, Place place) implements Fault {}

    /** Where a thread stands still. */
    enum Place {
        /** The loop, between the reading of its clocks and the use of the reading. */
        AFTER_READING,
        /** The loop, before the messages of a step leave. */
        BEFORE_SENDING,
        /** A user's thread, after it has handed something to the loop and before the call returns. */
        IN_CALL
    }

    /** The user of a node asks for more time for all that it holds: no fault, but what a fault may hit. */
    record Renewal(long at, int victim, long leaseNanos) implements Fault {
        @Override
        public long duration() {
            return 0;
        }
    }

    /** The whole machine sleeps, and its monotonic clock with it. */
    record Suspend(long at, long duration, int victim) implements Fault {}

    /** The wall clock is set. */
    record WallStep(long at, int victim, long byMicros) implements Fault {
        @Override
        public long duration() {
            return 0;
        }
    }

    /** The monotonic clock runs at another rate from now on. */
    record RateChange(long at, int victim, long millionths) implements Fault {
        @Override
        public long duration() {
            return 0;
        }
    }

    /** Nothing gets from the nodes of one side to the others, and nothing back when it is cut both ways. */
    record Partition(long at, long duration, int side, boolean bothWays) implements Fault {}

    /** Messages from one node to another pile up, then arrive all at once. */
    record Clog(long at, long duration, int from, int to) implements Fault {}

    /** Messages get lost, doubled and delayed everywhere, with these chances in a hundred. */
    record Noise(long at, long duration, int lost, int doubled, int delayed, long longestDelay) implements Fault {}

    /** The transport says that a peer cannot be reached, and later that it can. */
    record WrongHint(long at, long duration, int victim, int about) implements Fault {}
}
