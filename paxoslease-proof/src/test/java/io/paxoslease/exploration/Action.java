package io.paxoslease.exploration;

import java.util.List;

/** One thing that can happen in an {@link ExploredWorld}. Nodes go by number. */
sealed interface Action {

    /** A unit of time passes. */
    record Tick() implements Action {}

    record Acquire(int node) implements Action {}

    record Withdraw(int node) implements Action {}

    record Release(int node) implements Action {}

    record Renew(int node) implements Action {}

    /** The node does what its timer asks for, if that is due: timers may be late. */
    record Wake(int node) implements Action {}

    /** The process dies, and another takes its place at once. */
    record Restart(int node) implements Action {}

    /** The clocks of the node disagree. */
    record Suspect(int node) implements Action {}

    /** The wall clock of the node is set back. */
    record SetBack(int node) implements Action {}

    /** The machine of the node is suspended for a while: its monotonic clock stands still, and what is sent to it waits. */
    record Sleep(int node) implements Action {}

    /**
     * A message arrives.
     *
     * @param kind the name of its type
     * @param nth which of those under way between the two, in the order in which they were sent, from 1
     * @param stays whether a copy is still under way
     */
    record Deliver(int from, int to, String kind, int nth, boolean stays) implements Action {

        /** The same message when these before it have not been delivered. */
        Deliver after(List<Action> notDelivered) {
            int ahead = 0;
            for (Action action : notDelivered) {
                boolean sameLink = action instanceof Deliver other
                        && other.from == from
                        && other.to == to
                        && other.kind.equals(kind)
                        && !other.stays
                        && other.nth <= nth + ahead;
                ahead += sameLink ? 1 : 0;
            }
            return new Deliver(from, to, kind, nth + ahead, stays);
        }
    }
}
