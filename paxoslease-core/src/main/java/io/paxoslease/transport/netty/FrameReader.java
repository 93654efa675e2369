package io.paxoslease.transport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.paxoslease.transport.Frames;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Cuts what comes into frames. A frame's length field is checked before anything is allocated. What a client sends stays uncut until it is taken, as
 * each frame that waits would be an object of its own.
 */
final class FrameReader extends LengthFieldBasedFrameDecoder {

    private final BooleanSupplier takes;
    private boolean holds;
    private int reads;

    /** @param takes whether one more is taken now */
    FrameReader(BooleanSupplier takes) {
        super(Frames.MAX_FRAME + 4, 0, 4, 0, 4);
        this.takes = takes;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object read) throws Exception {
        reads++;
        super.channelRead(context, read);
    }

    @Override
    protected @Nullable Object decode(ChannelHandlerContext context, ByteBuf in) throws Exception {
        holds = !takes.getAsBoolean();
        return holds ? null : super.decode(context, in);
    }

    /** Whether something was left uncut that may be a frame. */
    boolean holds() {
        return holds;
    }

    /** How often bytes have come. */
    int reads() {
        return reads;
    }

    /** How many bytes of memory are kept by what is not cut yet, and by a frame that was cut last. */
    @SuppressWarnings("ReferenceEquality") // one buffer, not equal bytes
    int kept(@Nullable ByteBuf frame) {
        ByteBuf uncut = actualReadableBytes() == 0 ? null : internalBuffer();
        ByteBuf of = frame == null ? null : whole(frame);
        return (uncut == null ? 0 : uncut.capacity()) + (of == null || of == uncut ? 0 : of.capacity());
    }

    /** A part of a buffer keeps all of it. */
    private static ByteBuf whole(ByteBuf part) {
        ByteBuf whole = part.unwrap();
        return whole == null ? part : whole;
    }
}
