package io.paxoslease.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.ConnectionRefusal;
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
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
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
                last.awaitConnected("a");
                a.awaitConnected("b");
                before = System.nanoTime();
                assertThat(last.otherLives).isEmpty();
            }
            try (Endpoint next = Endpoint.start(config, "b", ports)) {
                Event.OtherLife told = told(next);
                assertThat(told.seenBy()).isEqualTo(A);
                assertThat(told.nanosAgo()).isNotNegative().isLessThan(System.nanoTime() - before);
            }
        }
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
                assertThat(last.otherLives).isEmpty();
            }
        }
    }

    @Test
    void aMemberOfTheReleaseBeforeTellsNothing() throws Exception {
        try (Endpoint a = Endpoint.start(config, "a", ports, new Versions(1, 3))) {
            try (Endpoint last = Endpoint.start(config, "b", ports)) {
                last.awaitConnected("a");
            }
            Eventually.until("the last one is gone", () -> !a.state("b").connected());
            try (Endpoint next = Endpoint.start(config, "b", ports)) {
                next.awaitBothConnections("a");
                assertThat(next.otherLives).isEmpty();
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
            assertThat(b.otherLives).isEmpty();
        }
    }
}
