package io.paxoslease.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.FreePorts;
import io.paxoslease.testing.RawConnection;
import io.paxoslease.transport.CellConfig;
import io.paxoslease.transport.Frames;
import io.paxoslease.transport.Hello;
import io.paxoslease.transport.Versions;
import java.net.ServerSocket;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What the next process of node b hears from a of the last one (A0). */
class EarlierProcessTest {

    private static final NodeId A = new NodeId("a");

    private final CellConfig config = Endpoint.config("cell", "a", "b", "c");
    private final int portA = FreePorts.next();
    private final int portC = FreePorts.next();
    private final Map<String, Integer> ports = portsWithB(FreePorts.next());

    private Map<String, Integer> portsWithB(int port) {
        return Map.of("a", portA, "b", port, "c", portC);
    }

    private static Event.OtherLife told(Endpoint node) throws InterruptedException {
        return Objects.requireNonNull(
                node.otherLives.poll(Eventually.LIMIT.toMillis(), TimeUnit.MILLISECONDS), "nothing was told");
    }

    @Test
    void itIsToldHowLongAgoThatWasConnected() throws Exception {
        try (Endpoint a = Endpoint.start(config, "a", ports)) {
            long before;
            try (Endpoint last = Endpoint.start(config, "b", ports)) {
                last.awaitBothConnections("a");
                a.awaitBothConnections("b");
                before = System.nanoTime();
                assertThat(last.settle().otherLives).isEmpty();
            }
            try (Endpoint next = Endpoint.start(config, "b", ports)) {
                Event.OtherLife told = told(next);
                assertThat(told.seenBy()).isEqualTo(A);
                assertThat(told.nanosAgo()).isNotNegative().isLessThan(System.nanoTime() - before);
            }
        }
    }

    /** The connection of the next process ends before it has read what it is told. */
    @Test
    void itIsToldAgainUntilItHasReadIt() throws Exception {
        try (Endpoint a = Endpoint.start(config, "a", ports)) {
            Incarnation last = connectedToLast(a);
            Hello next = Endpoint.hello(config, "b", "a");
            for (int attempt = 0; attempt < 2; attempt++) {
                try (RawConnection unread = RawConnection.to(portA)) {
                    unread.write(out -> Frames.writeHello(out, Frames.HELLO, next));
                    a.awaitConnected("b");
                }
                Eventually.until("it is gone", () -> !a.state("b").connected());
            }
            assertThat(toldBy(a, next, true).bootId()).isEqualTo(last);
            assertThat(toldBy(a, next, false).bootId())
                    .as("once it has answered")
                    .isEqualTo(next.bootId());
            assertThat(toldBy(a, Endpoint.hello(config, "b", "a"), false).bootId())
                    .as("of the next one again")
                    .isEqualTo(next.bootId());
        }
    }

    /** A process answers a by a WELCOME once it has read what a has told it. */
    @Test
    void itIsToldByTheConnectionThatIsMadeToItToo() throws Exception {
        try (Endpoint a = Endpoint.start(config, "a", ports)) {
            Incarnation last = connectedToLast(a);
            Hello next = Endpoint.hello(config, "b", "a");
            try (ServerSocket b = RawConnection.listen(ports.getOrDefault("b", 0));
                    RawConnection unread = RawConnection.to(portA)) {
                unread.write(out -> Frames.writeHello(out, Frames.HELLO, next));
                a.awaitConnected("b");
                try (RawConnection called = RawConnection.acceptedBy(b)) {
                    Hello.LastBoot told =
                            Objects.requireNonNull(read(called, Frames.HELLO).lastBoot());
                    assertThat(told.bootId()).isEqualTo(last);
                    called.write(out -> Frames.writeHello(out, Frames.WELCOME, next));
                    assertThat(called.read(Frames.PING)).isNotNull();
                }
            }
            Eventually.until("it is gone", () -> !a.state("b").connected());
            assertThat(toldBy(a, next, false).bootId()).isEqualTo(next.bootId());
        }
    }

    private static Hello read(RawConnection connection, int type) throws Exception {
        RawConnection.Frame hello = Objects.requireNonNull(connection.read(type), "closed");
        return Frames.readHello(hello.body(), Versions.OURS);
    }

    private Incarnation connectedToLast(Endpoint a) throws Exception {
        Hello last = Endpoint.hello(config, "b", "a");
        try (RawConnection connection = RawConnection.to(portA)) {
            connection.write(out -> Frames.writeHello(out, Frames.HELLO, last));
            assertThat(connection.read(Frames.WELCOME)).isNotNull();
            a.awaitConnected("b");
        }
        Eventually.until("the last one is gone", () -> !a.state("b").connected());
        return last.bootId();
    }

    /** What the process is told, which may answer a ping. */
    private Hello.LastBoot toldBy(Endpoint a, Hello process, boolean answers) throws Exception {
        Hello.@Nullable LastBoot told;
        try (RawConnection connection = RawConnection.to(portA)) {
            connection.write(out -> Frames.writeHello(out, Frames.HELLO, process));
            told = read(connection, Frames.WELCOME).lastBoot();
            if (answers) {
                connection.write(out -> Frames.writeEmpty(out, Frames.PING));
                assertThat(connection.read(Frames.PONG)).isNotNull();
            }
        }
        Eventually.until("it is gone", () -> !a.state("b").connected());
        return Objects.requireNonNull(told);
    }

    @Test
    void besideTheLastOneItIsToldThatThisIsConnected() throws Exception {
        try (Endpoint a = Endpoint.start(config, "a", ports);
                Endpoint last = Endpoint.start(config, "b", ports)) {
            last.awaitConnected("a");
            a.awaitConnected("b");
            try (Endpoint next = Endpoint.start(config, "b", portsWithB(FreePorts.next()))) {
                assertThat(told(next)).isEqualTo(new Event.OtherLife(A, 0));
                Eventually.until("a has refused it", () -> next.state("a").refusal() != null);
                assertThat(next.state("a").refusal()).isNotEqualTo(ConnectionRefusal.VERSION);
                a.send("b", Endpoint.request(1));
                assertThat(last.next()).as("comes after all that a has said").isNotNull();
                assertThat(last.settle().otherLives).isEmpty();
            }
        }
    }

    /** It could keep every member silent. */
    @Test
    void aClientIsNotBelieved() throws Exception {
        try (Endpoint b = Endpoint.start(config, "b", ports, 5);
                RawConnection client = RawConnection.to(ports.getOrDefault("b", 0))) {
            Hello member = Endpoint.hello(config, "z", "b");
            Hello lying = new Hello(
                            config,
                            member.from(),
                            member.to(),
                            member.bootId(),
                            Versions.OURS,
                            Hello.Role.CLIENT,
                            "orders")
                    .afterMeeting(new Hello.LastBoot(new Incarnation(9, 9), 0));
            client.write(out -> Frames.writeHello(out, Frames.HELLO, lying));
            assertThat(client.read(Frames.WELCOME)).isNotNull();
            assertThat(b.settle().otherLives).isEmpty();
        }
    }
}
