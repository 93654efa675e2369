package io.paxoslease.benchmarks;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Event.Received;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.paxos.Ballot;
import io.paxoslease.protocol.paxos.Node;
import io.paxoslease.protocol.paxos.PaxosMessage.Prepare;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import io.paxoslease.protocol.paxos.PaxosMessage.Release;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
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
import org.openjdk.jmh.infra.Blackhole;

/** What one member does for a lease that another takes and gives up, without clocks, threads and network. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class JmhAcceptor {

    private static final NodeId SELF = new NodeId("a");
    private static final NodeId OTHER = new NodeId("b");
    private static final Incarnation INCARNATION = new Incarnation(1, 2);
    private static final Duration LONGEST = Duration.ofSeconds(5);
    private static final double DRIFT = 0.1;
    private static final long LEASE_NANOS = 3_000_000_000L;
    private static final long WALL_MICROS = 1_790_000_000_000_000L;

    /** How many other leases the member knows. */
    @Param({"0", "100000"})
    public int others;

    private Node node = newNode();
    private Reading now = start();
    private long attempt;

    private static Reading start() {
        return new Reading(new Moment(0), WALL_MICROS);
    }

    private static Node newNode() {
        Quorum quorum = new Quorum(List.of(SELF, OTHER, new NodeId("c")));
        return new Node(
                SELF,
                quorum,
                new Timing(LONGEST, DRIFT),
                null,
                () -> new Incarnation(3, 4),
                new SplittableRandom(1),
                start());
    }

    /** A member that knows the other leases. */
    @Setup
    public void fill() {
        node = newNode();
        now = start();
        for (int i = 0; i < others; i++) {
            propose("other-" + i);
        }
    }

    private List<Effect> propose(String resource) {
        return receive(new Propose(resource, ballot(), LEASE_NANOS, attempt));
    }

    private Ballot ballot() {
        return new Ballot(now.wallMicros(), INCARNATION);
    }

    private List<Effect> receive(Message message) {
        return node.step(new Received(OTHER, message), now);
    }

    private void tick() {
        // Counters have to rise, and the other leases are not to run out.
        now = new Reading(now.moment().plusNanos(1), now.wallMicros() + 1);
        attempt++;
    }

    /** The short way to a lease: one proposal, and a release. */
    @Benchmark
    public void proposeRelease(Blackhole hole) {
        tick();
        hole.consume(propose("resource"));
        hole.consume(receive(new Release("resource", INCARNATION, now.wallMicros())));
    }

    /** The long way: prepare, propose, release. */
    @Benchmark
    public void prepareProposeRelease(Blackhole hole) {
        tick();
        hole.consume(receive(new Prepare("resource", ballot(), attempt)));
        hole.consume(propose("resource"));
        hole.consume(receive(new Release("resource", INCARNATION, now.wallMicros())));
    }
}
