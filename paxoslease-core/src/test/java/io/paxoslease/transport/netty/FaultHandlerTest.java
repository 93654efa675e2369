package io.paxoslease.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.handler.codec.DecoderException;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.FreePorts;
import io.paxoslease.transport.CellConfig;
import io.paxoslease.transport.MalformedFrameException;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which faults of a connection are the node's, that ends by them, and which end with the connection. */
@Timeout(60)
class FaultHandlerTest {

    private final CellConfig config = Endpoint.config("cell", "a", "b");
    private final Map<String, Integer> ports = Map.of("a", FreePorts.next(), "b", FreePorts.next());

    @Test
    void withoutHeapTheNodeTakesNoFurtherPart() throws Exception {
        OutOfMemoryError fault = new OutOfMemoryError("Java heap space");
        assertThat(faultOf(fault)).isSameAs(fault);
        assertThat(faultOf(new DecoderException(fault))).hasCause(fault);
    }

    @Test
    void whatIsOneConnectionsEndsWithIt() throws Exception {
        assertThat(faultOf(new MalformedFrameException("bad bytes"))).isNull();
        assertThat(faultOf(new IOException("Connection reset"))).isNull();
        assertThat(faultOf(new OutOfMemoryError("unable to create native thread: possibly out of memory")))
                .isNull();
        assertThat(faultOf(new IllegalStateException("of a handler"))).isNull();
    }

    /** Else a peer would not be dialled any more, or not pinged, and nobody would know. */
    @Test
    void aTaskOfTheTransportThatFailsIsTheNodesFault() throws Exception {
        try (Endpoint a = Endpoint.start(config, "a", ports)) {
            IllegalStateException fault = new IllegalStateException("a task");
            a.transport
                    .loop()
                    .submit(a.transport.context.guarded(() -> {
                        throw fault;
                    }))
                    .get();
            assertThat(a.settle().faults).containsExactly(fault);
        }
    }

    /** What the node hears when this comes to the end of a connection's pipeline; null: nothing, and the connection is closed. */
    private @Nullable Throwable faultOf(Throwable cause) throws Exception {
        try (Endpoint a = Endpoint.start(config, "a", ports);
                Endpoint b = Endpoint.start(config, "b", ports)) {
            a.awaitConnected("b");
            b.awaitConnected("a");
            Channel channel = a.transport
                    .loop()
                    .submit(() -> Objects.requireNonNull(
                            a.transport.links.peer(new NodeId("b")).channelForRequests()))
                    .get();
            a.transport
                    .loop()
                    .submit(() -> channel.pipeline().fireExceptionCaught(cause))
                    .get();
            Eventually.until("the connection is closed", () -> !channel.isOpen());
            return a.settle().faults.poll();
        }
    }
}
