package io.paxoslease.protocol.storage;

import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import org.jspecify.annotations.Nullable;

/** What a client and its store say to each other. Each access has a number, and one answer at most. */
public sealed interface RegisterMessage extends Message {

    /** Under which name the store is spoken to. */
    NodeId STORE = new NodeId("store");

    /** The number of the access; no client uses one twice. */
    long access();

    /** From a client to its store. */
    sealed interface Request extends RegisterMessage {

        /** The lease whose register it is for. */
        String name();

        @Override
        default String requested() {
            return name();
        }

        /** Whether it is for the release record of the lease, and not for the register with its stamps. */
        boolean ofRelease();

        /** From that moment on the access must not be begun any more: what it is based on may be over. */
        Moment latest();
    }

    /** From the store to its client. */
    sealed interface Answer extends RegisterMessage {}

    /** What is in the register? Answered by {@link Value} or {@link Failed}. */
    record Read(String name, boolean ofRelease, long access, Moment latest) implements Request {}

    /** Replace it. Answered by {@link Done} or {@link Failed}. */
    record Write(String name, boolean ofRelease, long access, Content content, Moment latest) implements Request {}

    /**
     * Replace it if it is what is expected. Answered by {@link Done} or {@link Failed}.
     *
     * @param expected null: that it was never written
     */
    record CompareAndSet(String name, long access, @Nullable Content expected, Content content, Moment latest)
            implements Request {

        /** A lease that is compared and set is released in its own register. */
        @Override
        public boolean ofRelease() {
            return false;
        }
    }

    /**
     * To {@link Read}.
     *
     * @param content null when the register was never written
     */
    record Value(long access, @Nullable Content content) implements Answer {}

    /**
     * To {@link Write} and {@link CompareAndSet}.
     *
     * @param replaced whether the register was replaced; of a {@link Write} always
     */
    record Done(long access, boolean replaced) implements Answer {}

    /**
     * It is not known whether the access had its effect, or will have.
     *
     * @param reason in words
     */
    record Failed(long access, String reason) implements Answer {}
}
