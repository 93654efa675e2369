package io.paxoslease.transport.netty;

import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.paxoslease.transport.Frames;

/** Cuts what comes into frames. A frame's length field is checked before anything is allocated. */
final class FrameReader extends LengthFieldBasedFrameDecoder {

    FrameReader() {
        super(Frames.MAX_FRAME + 4, 0, 4, 0, 4);
    }

    /** How many bytes of memory the frame that has come in part takes. */
    int kept() {
        return actualReadableBytes() == 0 ? 0 : internalBuffer().capacity();
    }
}
