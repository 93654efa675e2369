package io.paxoslease.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.FreePorts;
import io.paxoslease.transport.CellConfig;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Section 9: who learns that a node of the cell runs another configuration. */
class OtherConfigurationTest {

    private static final String PEERS = Endpoint.marks("peers");

    private final Map<String, Integer> ports =
            Map.of("a", FreePorts.next(), "b", FreePorts.next(), "c", FreePorts.next());
    private final CellConfig two = Endpoint.config("cell", "a", "b");
    private final CellConfig three = Endpoint.config("cell", "a", "b", "c");

    private Endpoint start(CellConfig config, String self) throws IOException {
        return Endpoint.start(config, self, ports);
    }

    private static @Nullable String next(Endpoint endpoint) throws InterruptedException {
        return endpoint.others.poll(Eventually.LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Test
    void bothEndsOfARefusedConnectionLearnWhatTheOtherRuns() throws Exception {
        try (Endpoint a = start(two, "a");
                Endpoint b = start(three, "b")) {
            assertThat(next(a)).isEqualTo("b [a, b, c]: the peers differ, [a, b, c] at 'b' but [a, b] at 'a'" + PEERS);
            assertThat(next(b)).isEqualTo("a [a, b]: the peers differ, [a, b] at 'a' but [a, b, c] at 'b'" + PEERS);
        }
    }

    /** The dialler hears it from the REJECT: nothing else of that node ever reaches it. */
    @Test
    void aNodeThatIsNoMemberThereLearnsItToo() throws Exception {
        try (Endpoint a = start(two, "a");
                Endpoint c = start(three, "c")) {
            assertThat(next(c)).isEqualTo("a [a, b]: the peers differ, [a, b] at 'a' but [a, b, c] at 'c'" + PEERS);
            assertThat(next(a)).startsWith("c [a, b, c]: the peers differ");
        }
    }

    /** c is in no touch with the old members: b, which is, tells it. */
    @Test
    void whoIsMetIsToldToThePeers() throws Exception {
        CellConfig other = Endpoint.config("cell", "b", "c");
        try (Endpoint a = start(two, "a");
                Endpoint b = Endpoint.start(other, "b", ports);
                Endpoint c =
                        Endpoint.start(other, "c", Map.of("b", ports.getOrDefault("b", 0), "c", FreePorts.next()))) {
            b.awaitConnected("c");
            assertThat(next(c)).isEqualTo("a [a, b]: the peers differ, [a, b] at 'a' but [b, c] at 'c'" + PEERS);
            assertThat(a.others).isNotEmpty();
        }
    }

    @Test
    void aNodeThatServesSaysSoWhenItRefuses() throws Exception {
        CellConfig longer = new CellConfig("cell", List.copyOf(two.members()), Duration.ofSeconds(2), 0.1);
        try (Endpoint a = start(two, "a");
                Endpoint b = start(longer, "b")) {
            Eventually.until("b is refused", () -> b.state("a").refusal() == ConnectionRefusal.BY_SERVING_PEER);
            a.serves = false;
            Eventually.until("a serves no more", () -> b.state("a").refusal() == ConnectionRefusal.BY_PEER);
        }
    }

    @Test
    void anotherCellIsNoOtherConfiguration() throws Exception {
        try (Endpoint a = start(two, "a");
                Endpoint b = start(Endpoint.config("elsewhere", "a", "b"), "b")) {
            Eventually.until(
                    "they refuse each other",
                    () -> a.state("b").refusal() != null && b.state("a").refusal() != null);
            assertThat(a.others).isEmpty();
            assertThat(b.others).isEmpty();
        }
    }
}
