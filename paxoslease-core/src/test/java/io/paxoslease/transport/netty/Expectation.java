package io.paxoslease.transport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.paxoslease.transport.Admission;
import io.paxoslease.transport.Frames;
import io.paxoslease.transport.Hello;
import io.paxoslease.transport.MalformedFrameException;
import io.paxoslease.transport.UnsupportedVersionException;
import io.paxoslease.transport.Versions;
import io.paxoslease.transport.netty.FuzzedConnection.End;

/**
 * What must come of the bytes that a connection receives, found without a pipeline: frame by frame, up to the first that
 * is not as it should be.
 *
 * @param introduced whether the first frame is one by which a peer makes itself known
 * @param open whether the connection is open when all was read
 */
record Expectation(boolean introduced, boolean open) {

    static Expectation of(byte[] bytes, End end) {
        ByteBuf in = Unpooled.wrappedBuffer(bytes);
        boolean introduced = false;
        while (in.readableBytes() >= Integer.BYTES) {
            long length = in.readUnsignedInt();
            if (length > Frames.MAX_FRAME) {
                return new Expectation(introduced, false);
            }
            if (length > in.readableBytes()) {
                break;
            }
            ByteBuf frame = in.readSlice((int) length);
            if (introduced && !isProper(frame)) {
                return new Expectation(true, false);
            }
            introduced = introduced || introduces(frame, end);
            if (!introduced) {
                return new Expectation(false, false);
            }
        }
        return new Expectation(introduced, true);
    }

    /** Not one that asks for the members, or tells them: that connection is closed. */
    private static boolean introduces(ByteBuf frame, End end) {
        boolean outbound = end == End.MADE;
        if (end == End.CONTACT
                || !frame.isReadable()
                || frame.readByte() != (outbound ? Frames.WELCOME : Frames.HELLO)) {
            return false;
        }
        try {
            Hello hello = Frames.readHello(frame, Versions.OURS);
            return new Admission(FuzzedConnection.CONFIG, FuzzedConnection.A).judge(hello) == null
                    && (!outbound || hello.from().equals(FuzzedConnection.B));
        } catch (MalformedFrameException | UnsupportedVersionException e) {
            return false;
        }
    }

    private static boolean isProper(ByteBuf frame) {
        int type = frame.isReadable() ? frame.readUnsignedByte() : 0;
        if (type != Frames.MESSAGES && type != Frames.COMING) {
            return (type == Frames.PING || type == Frames.PONG) && !frame.isReadable();
        }
        try {
            if (type == Frames.COMING) {
                Frames.readComing(frame);
            } else {
                Frames.readMessages(frame);
            }
            return true;
        } catch (MalformedFrameException e) {
            return false;
        }
    }
}
