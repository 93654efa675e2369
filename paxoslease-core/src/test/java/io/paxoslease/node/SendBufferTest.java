package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.LeaseView;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.NodeView;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.testing.LogCapture;
import io.paxoslease.transport.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SendBufferTest {

    private static final Generation FIRST = Generation.first(list("a", "b"));
    private static final Generation SECOND = new Generation(2, list("a", "d"), FIRST.current());
    private static final Generation THIRD = new Generation(3, list("d", "e"), SECOND.current());

    private final List<String> told = new ArrayList<>();
    private long nanos;
    private @Nullable IllegalStateException fault;
    private final SendBuffer buffer = new SendBuffer(new Noting(), () -> nanos);
    private final Following node = new Following();

    private static MemberList list(String... ids) {
        return new MemberList(List.of(ids).stream().map(NodeId::new).toList(), Duration.ofSeconds(1), 0.001);
    }

    /**
     * Between two flushes the second generation was sealed, which the transport had not heard of, and the third begins. Then a majority knows, and
     * those who have left are not needed any more.
     */
    @Test
    void theTransportHearsOfEachGenerationInOrderAndOnce() {
        node.followed = List.of(FIRST);
        buffer.flush(node);
        assertThat(told).containsExactly("follows 1");
        told.clear();
        node.followed = List.of(SECOND, THIRD);
        node.sealed = 2;
        buffer.flush(node);
        buffer.flush(node);
        assertThat(told).containsExactly("follows 2", "follows 3", "knows seal 2");
        node.deciding = 2;
        buffer.flush(node);
        buffer.flush(node);
        assertThat(told).containsExactly("follows 2", "follows 3", "knows seal 2", "sealed 2");
    }

    /** As where there is no memory for it, with many clients. */
    @Test
    void ofManyThatNothingCanBeSentToOnlySomeAreLogged() {
        fault = new IllegalStateException("no memory");
        try (LogCapture log = LogCapture.of(SendBuffer.class)) {
            for (int i = 0; i < 1_000; i++) {
                buffer.add(new Effect.Send(new NodeId("z" + i % 200), new PaxosMessage.Released("r", 0)));
                buffer.flush(node);
            }
            assertThat(log.count("were not sent, and more may follow")).isEqualTo(10);
            nanos += Duration.ofMinutes(1).toNanos();
            buffer.add(new Effect.Send(new NodeId("y"), new PaxosMessage.Released("r", 0)));
            buffer.flush(node);
            assertThat(log.lines())
                    .contains("WARN Messages were not sent 990 times more than was logged")
                    .endsWith("WARN Messages to 'y' were not sent, and more may follow: see the cause");
        }
    }

    private final class Noting implements Transport {

        @Override
        public void send(NodeId to, List<Message> messages) {
            if (fault != null) {
                throw fault;
            }
            told.add("messages");
        }

        @Override
        public void follows(Generation generation) {
            told.add("follows " + generation.number());
        }

        @Override
        public void knowsSeal(int generation) {
            told.add("knows seal " + generation);
        }

        @Override
        public void sealed(int generation) {
            told.add("sealed " + generation);
        }
    }

    private static final class Following implements LeaseAlgorithm {

        private List<Generation> followed = List.of();
        private int sealed;
        private int deciding;

        @Override
        public List<Generation> followed() {
            return followed;
        }

        @Override
        public int sealedGeneration() {
            return sealed;
        }

        @Override
        public int decidingGeneration() {
            return deciding;
        }

        @Override
        public List<Effect> step(Event event, Reading now) {
            return List.of();
        }

        @Override
        public @Nullable Moment nextDeadline() {
            return null;
        }

        @Override
        public NodeView view(Reading now) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int addRecords(int place, int count, Reading now, Collection<String> resources) {
            return -1;
        }

        @Override
        public @Nullable LeaseView view(String resource, Reading now) {
            return null;
        }
    }
}
