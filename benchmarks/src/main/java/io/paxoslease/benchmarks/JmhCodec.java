package io.paxoslease.benchmarks;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.Ballot;
import io.paxoslease.protocol.paxos.PaxosMessage.Accepted;
import io.paxoslease.protocol.paxos.PaxosMessage.Extend;
import io.paxoslease.protocol.paxos.PaxosMessage.Extended;
import io.paxoslease.protocol.paxos.PaxosMessage.Extension;
import io.paxoslease.protocol.paxos.PaxosMessage.Held;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import io.paxoslease.transport.MessageCodec;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Messages to bytes and back. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class JmhCodec {

    private static final String RESOURCE = "lock:orders/4711";
    private static final Incarnation INCARNATION = new Incarnation(0x0123456789abcdefL, 0x7edcba9876543210L);
    private static final Ballot BALLOT = new Ballot(1_790_000_000_000_000L, INCARNATION);
    private static final long LEASE_NANOS = 3_000_000_000L;
    private static final int NAMES = MessageCodec.MAX_EXTENSIONS;
    private static final int ROOM = 8 * 1_024;

    /** Which message. */
    @SuppressWarnings("ImmutableEnumChecker") // Messages are values.
    public enum Kind {
        /** A proposal. */
        PROPOSE(new Propose(RESOURCE, BALLOT, LEASE_NANOS, 7)),
        /** Its answer. */
        ACCEPTED(new Accepted(RESOURCE, BALLOT, 7)),
        /** The other answer. */
        HELD(new Held(RESOURCE, BALLOT, 7, BALLOT, new NodeId("node-b"), LEASE_NANOS, 42, true)),
        /** A renewal of as many leases as a message may name. */
        EXTEND(new Extend(
                INCARNATION,
                7,
                LEASE_NANOS,
                1,
                names().stream().map(name -> new Extension(name, 42)).toList())),
        /** The same renewal, once the acceptor knows the list. */
        EXTEND_BY_NUMBER(new Extend(INCARNATION, 7, LEASE_NANOS, 1, List.of())),
        /** The answer to both. */
        EXTENDED(new Extended(INCARNATION, 7, List.of(), List.of()));

        private final Message message;

        Kind(Message message) {
            this.message = message;
        }

        private static List<String> names() {
            return IntStream.range(0, NAMES).mapToObj(i -> RESOURCE + i).toList();
        }
    }

    /** The message that is written and read. */
    @Param
    public Kind message = Kind.PROPOSE;

    private final ByteBuf written = Unpooled.directBuffer(ROOM);
    private final ByteBuf room = Unpooled.directBuffer(ROOM);

    /** Writes the message that is read. */
    @Setup
    public void write() {
        MessageCodec.encode(written.clear(), message.message);
    }

    /** Message to bytes. */
    @Benchmark
    public int encode() {
        MessageCodec.encode(room.clear(), message.message);
        return room.writerIndex();
    }

    /** Bytes to message. */
    @Benchmark
    public Message decode() {
        return MessageCodec.decode(written.readerIndex(0));
    }
}
