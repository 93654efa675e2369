package io.paxoslease.transport;

import io.netty.buffer.ByteBuf;
import io.paxoslease.protocol.Message;

/** The message types on the wire that an algorithm has besides those of PaxosLease, see {@code docs/wire-format.md}. Immutable. */
public interface MessageTypes {

    /** Of PaxosLease, which {@link MessageCodec} knows. */
    MessageTypes NONE = new MessageTypes() {
        @Override
        public boolean contains(int type) {
            return false;
        }

        @Override
        public Message decode(int type, ByteBuf in) {
            throw new MalformedFrameException("unknown message type " + type);
        }

        @Override
        public boolean encode(ByteBuf out, Message message) {
            return false;
        }
    };

    /** Whether a message of that type is one of these. */
    boolean contains(int type);

    /**
     * Reads what follows the type, which this contains.
     *
     * @throws MalformedFrameException when the bytes are no message; nothing of it is used then
     */
    Message decode(int type, ByteBuf in);

    /** Appends the message with its type, if it is one of these, and says whether it is. */
    boolean encode(ByteBuf out, Message message);
}
