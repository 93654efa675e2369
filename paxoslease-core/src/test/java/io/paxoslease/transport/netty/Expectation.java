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
        int version = 0;
        while (in.readableBytes() >= Integer.BYTES) {
            long length = in.readUnsignedInt();
            if (length > Frames.MAX_FRAME) {
                return new Expectation(version > 0, false);
            }
            if (length > in.readableBytes()) {
                break;
            }
            ByteBuf frame = in.readSlice((int) length);
            boolean introduced = version > 0;
            if (introduced && !isProper(frame, version)) {
                return new Expectation(true, false);
            }
            version = introduced ? version : agreedVersion(frame, end);
            if (version == 0) {
                return new Expectation(false, false);
            }
        }
        return new Expectation(version > 0, true);
    }

    /** Zero when it is no introduction: a connection on which the members are asked for, or told, is closed. */
    private static int agreedVersion(ByteBuf frame, End end) {
        boolean outbound = end == End.MADE;
        if (end == End.CONTACT
                || !frame.isReadable()
                || frame.readByte() != (outbound ? Frames.WELCOME : Frames.HELLO)) {
            return 0;
        }
        try {
            Hello hello = Frames.readHello(frame, Versions.OURS);
            boolean isAdmitted = new Admission(FuzzedConnection.CONFIG, FuzzedConnection.A).judge(hello) == null
                    && (!outbound || hello.from().equals(FuzzedConnection.B));
            return isAdmitted ? Versions.OURS.agreedWith(hello.versions()) : 0;
        } catch (MalformedFrameException | UnsupportedVersionException e) {
            return 0;
        }
    }

    private static boolean isProper(ByteBuf frame, int version) {
        int type = frame.isReadable() ? frame.readUnsignedByte() : 0;
        if (type != Frames.MESSAGES && (type != Frames.COMING || version < 3)) {
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
