package io.paxoslease.simulation;

import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Moment;
import java.util.List;

/** Tells the checker what one node says and remembers. */
interface MemoryWatch {

    /**
     * A life of the node begins.
     *
     * @param opened since when the node can be asked, on its own clock: until then, its last process may have answered
     */
    void born(Moment opened);

    /** The node of this life. */
    void made(LeaseAlgorithm participant);

    void gone();

    /** After each of its steps. */
    void look(Moment now);

    /** A clock of its machine was set, or runs at another rate. */
    void clockChanged();

    /** A task that handles these begins. */
    void hears(List<Message> messages);

    /** The task is over. */
    void listenedTo();

    void sends(List<Message> messages);

    /** Which acceptors decide on what the node asks: the mode of what it has proposed last; zero where there are no modes. */
    default int mode() {
        return 0;
    }

    /** In whose name the tenure with that token is held; negative when there is no such tenure. */
    long incarnationOf(String resource, long token);

    /** Whether an attempt to renew or confirm the tenure is in flight. */
    boolean isRenewing(String resource);
}
