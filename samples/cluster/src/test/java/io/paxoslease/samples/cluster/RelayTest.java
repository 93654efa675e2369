package io.paxoslease.samples.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class RelayTest {

    /** How long a test waits for what must not come. */
    private static final int MOMENT_MILLIS = 200;

    private static final int PATIENCE_MILLIS = 10_000;

    private final List<AutoCloseable> open = new ArrayList<>();
    private ServerSocket target;
    private Relay relay;

    @BeforeEach
    void aRelayLeadsToATarget() throws IOException {
        target = keep(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
        relay = keep(new Relay("test", target.getLocalPort()));
        relay.start();
    }

    @AfterEach
    void closeEverything() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    @Test
    void bytesGoBothWaysAndEndsAreTold() throws IOException {
        Socket near = connect();
        Socket far = accept();

        write(near, "hello");
        assertThat(read(far, 5)).isEqualTo("hello");
        write(far, "welcome");
        assertThat(read(near, 7)).isEqualTo("welcome");

        near.close();
        assertThat(far.getInputStream().read()).isEqualTo(-1);
    }

    @Test
    void whatIsSentIntoTheBlackHoleComesOutLate() throws IOException {
        Socket near = connect();
        Socket far = accept();
        write(near, "a");
        assertThat(read(far, 1)).isEqualTo("a");

        relay.carry(false);
        write(near, "b");
        write(far, "c");
        assertSilent(far);
        assertSilent(near);

        relay.carry(true);
        assertThat(read(far, 1)).isEqualTo("b");
        assertThat(read(near, 1)).isEqualTo("c");
    }

    @Test
    void aConnectionThatEndsInTheBlackHoleSeemsOpenUntilItIsHealed() throws IOException {
        Socket near = connect();
        Socket far = accept();

        relay.carry(false);
        near.close();
        assertSilent(far);

        relay.carry(true);
        assertThat(far.getInputStream().read()).isEqualTo(-1);
    }

    @Test
    void aNewConnectionIsNotAnsweredByTheBlackHole() throws IOException {
        relay.carry(false);
        Socket near = connect();
        write(near, "x");
        target.setSoTimeout(MOMENT_MILLIS);
        assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(target::accept);

        relay.carry(true);
        assertThat(read(accept(), 1)).isEqualTo("x");
    }

    @Test
    void withoutAListenerTheConnectionEnds() throws IOException {
        target.close();

        assertThat(connect().getInputStream().read()).isEqualTo(-1);
    }

    @Test
    void connectionsBeyondTheBoundWaitUntilOthersHaveEnded() throws IOException {
        List<Socket> near = new ArrayList<>();
        List<Socket> far = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            near.add(connect());
            far.add(accept());
        }
        connect();
        target.setSoTimeout(MOMENT_MILLIS);
        assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(target::accept);

        near.get(3).close();
        far.get(3).close();

        assertThat(accept().isConnected()).isTrue();
    }

    @Test
    void anInstanceThatIsCutOffReachesNoOtherUntilBothEndsAreHealed() throws IOException {
        Node n1 = new Node("n1", 1, 2);
        Node n2 = new Node("n2", target.getLocalPort(), 2);
        Network network = keep(new Network(List.of(n1, n2), Algorithm.PAXOSLEASE));
        assertThat(network.address(n2, n2)).isEqualTo(n2.peerAddress());

        network.partition("n1");
        network.partition("n2");
        Socket near = keep(new Socket(InetAddress.getLoopbackAddress(), port(network.address(n1, n2))));
        near.setSoTimeout(PATIENCE_MILLIS);
        network.heal("n1");
        assertThat(network.isPartitioned("n1")).isFalse();
        target.setSoTimeout(MOMENT_MILLIS);
        assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(target::accept);

        network.heal("n2");
        assertThat(accept().isConnected()).isTrue();
    }

    private static int port(String address) {
        return Integer.parseInt(address.substring(address.indexOf(':') + 1));
    }

    private Socket connect() throws IOException {
        Socket socket = keep(new Socket(InetAddress.getLoopbackAddress(), relay.port()));
        socket.setSoTimeout(PATIENCE_MILLIS);
        return socket;
    }

    private Socket accept() throws IOException {
        target.setSoTimeout(PATIENCE_MILLIS);
        Socket socket = keep(target.accept());
        socket.setSoTimeout(PATIENCE_MILLIS);
        return socket;
    }

    private static void write(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static String read(Socket socket, int length) throws IOException {
        return new String(socket.getInputStream().readNBytes(length), StandardCharsets.US_ASCII);
    }

    private static void assertSilent(Socket socket) throws IOException {
        socket.setSoTimeout(MOMENT_MILLIS);
        assertThatExceptionOfType(SocketTimeoutException.class)
                .isThrownBy(() -> socket.getInputStream().read());
        socket.setSoTimeout(PATIENCE_MILLIS);
    }

    private <T extends AutoCloseable> T keep(T closeable) {
        open.add(closeable);
        return closeable;
    }
}
