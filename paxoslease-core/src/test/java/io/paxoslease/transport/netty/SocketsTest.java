package io.paxoslease.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.epoll.Epoll;
import org.junit.jupiter.api.Test;

class SocketsTest {

    @Test
    void linuxOwnSocketsAreUsedWhereTheyLoadWithoutAComplaint() {
        boolean loads = Sockets.mayLoadNatives() && Epoll.isAvailable();
        assertThat(Sockets.BEST.name()).isEqualTo(loads ? "epoll" : "nio");
    }

    @Test
    void aSystemCallIsNoReason() {
        assertThat(Sockets.withoutCall("finishConnect(..) failed with error(-111): Connection refused: /127.0.0.1:1"))
                .isEqualTo("Connection refused: /127.0.0.1:1");
        assertThat(Sockets.withoutCall("Connection refused: /127.0.0.1:1"))
                .isEqualTo("Connection refused: /127.0.0.1:1");
    }
}
