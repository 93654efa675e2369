package io.paxoslease.protocol.paxos;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A part of a world whose steps depend on its own state and the event alone. */
interface CorePart {

    /** A unit of time passes. */
    int TICK = 0;
    /** What the codes of a part's own actions begin at: the action plus a number of its own. */
    int RESTART = 10;

    int MOVE = 20;
    int LEARN_SEAL = 30;
    int PROPOSE = 40;
    int EXTEND = 60;
    int RELEASE = 80;
    int HEAR = 100;
    int HEAR_NEW = 120;
    int ELSEWHERE = 140;
    /** Where answers are late: an acceptor is asked, its answer arrives, and those of the next list do. */
    int ASK = 160;

    int ARRIVE = 170;
    int FIND = 180;
    /** A message arrives. */
    int RECEIVE = 190;

    /**
     * Takes one step.
     *
     * @param received the message that arrives; null for another event
     * @param from the number of the sender among its kind
     * @return what it sends
     */
    List<PaxosMessage> step(int code, @Nullable PaxosMessage received, int from);

    /** Its own events that can happen in this state, whatever the others do; not the arrival of messages. */
    List<Integer> codes();

    /** What is seen of it: what the rules of the world, and so the events of others, depend on. */
    List<Object> visible();

    /** Whether the other one looks the same, or like one that can do more. */
    default boolean looksLessThan(CorePart other) {
        return visible().equals(other.visible());
    }

    /**
     * With {@link #printOf} all that decides what it does from now on, but for its own number; times as what is left of them, so that states of
     * different times are one.
     */
    List<@Nullable Object> print();

    /** The part of it that is about one acceptor, for parts that are about several. */
    long printOf(int acceptor);
}
