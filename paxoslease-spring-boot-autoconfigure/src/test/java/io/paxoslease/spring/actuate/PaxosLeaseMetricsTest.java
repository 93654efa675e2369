package io.paxoslease.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Measurement;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.PaxosLeaseException;
import io.paxoslease.RevocationReason;
import io.paxoslease.election.LeaderCandidate;
import io.paxoslease.election.LeaderElection;
import io.paxoslease.election.Leadership;
import io.paxoslease.monitor.NodeMonitor;
import io.paxoslease.spring.leader.GuardedCallCounts;
import io.paxoslease.testing.InMemoryCell;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class PaxosLeaseMetricsTest {

    private final InMemoryCell cell = InMemoryCell.of("a", "b", "c");
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final PaxosLeaseMetrics metrics = new PaxosLeaseMetrics(cell.node("a"), () -> null);
    private final LeaderElection election =
            LeaderElection.builder(cell.node("a"), "x").build(new Idle());

    @AfterEach
    void close() {
        election.close();
        metrics.close();
        cell.close();
    }

    private double value(String name, String... tags) {
        return registry.get(name).tags(tags).meter().measure().iterator().next().getValue();
    }

    private long timed(String name, String... tags) {
        return registry.get(name).tags(tags).timer().count();
    }

    @Test
    void everyMeterIsDescribedAndCarriesTheNode() {
        election.start();
        metrics.bindTo(registry);

        assertThat(registry.getMeters()).hasSizeGreaterThan(40).allSatisfy(meter -> {
            Meter.Id id = meter.getId();
            assertThat(id.getName()).startsWith("paxoslease.");
            assertThat(id.getDescription()).as(id.getName()).isNotBlank();
            assertThat(id.getTag("node")).isEqualTo("a");
            assertThat(id.getTag("cell")).isEqualTo("in-memory");
        });
    }

    @Test
    void aRoleIsMeasured() {
        metrics.bindTo(registry);
        election.start();
        await().until(() -> election.isLeader() && value("paxoslease.leadership.granted", "role", "x") == 1);

        assertThat(value("paxoslease.leader", "role", "x")).isEqualTo(1);
        assertThat(value("paxoslease.lease.remaining", "role", "x")).isBetween(2.0, 2.5);
        assertThat(value("paxoslease.leadership.granted", "role", "x")).isEqualTo(1);
        election.close();
        assertThat(value("paxoslease.leader", "role", "x")).isZero();
        assertThat(value("paxoslease.lease.remaining", "role", "x")).isZero();
        assertThat(value("paxoslease.leadership.revoked", "role", "x", "reason", "stopped"))
                .isEqualTo(1);
        assertThat(value("paxoslease.leadership.revoked", "role", "x", "reason", "expired"))
                .isZero();
    }

    @Test
    void whichElectionOfARoleLeadsDoesNotMatter() {
        LeaderElection second = LeaderElection.builder(cell.node("a"), "x").build(new Idle());
        metrics.bindTo(registry);
        election.start();
        await().until(election::isLeader);
        second.start();

        assertThat(value("paxoslease.leader", "role", "x")).isEqualTo(1);
        second.close();
    }

    /** Each leaves a dozen series behind, which nothing removes: a hundred thousand roles took 758 MB. */
    @Test
    void ofManyRolesTheFirstAreMeasured(CapturedOutput output) {
        MetricsObserver observer =
                new MetricsObserver(registry, Tags.empty(), List::of, role -> new GuardedCallCounts(0, 0, 0));
        for (int i = 0; i < FewNames.MOST + 2; i++) {
            observer.candidateAdded("tenant-" + i);
            observer.granted("tenant-" + i);
            observer.revoked("tenant-" + i, RevocationReason.YIELDED);
        }

        assertThat(registry.find("paxoslease.leader").gauges()).hasSize(FewNames.MOST);
        assertThat(value("paxoslease.leadership.granted", "role", "tenant-999")).isEqualTo(1);
        assertThat(output)
                .containsOnlyOnce(
                        "There are more than 1000 values of the tag 'role': meters of this node leave further ones out, as"
                                + " 'tenant-1000'");
    }

    /** Other nodes may measure it: all of them say that they do not lead it, and an alert would say that there is no leader. */
    @Test
    void aRoleThatIsLeftOutIsMeasuredWhileItIsLed() {
        MetricsObserver observer = new MetricsObserver(
                registry, Tags.empty(), () -> List.of(election), role -> new GuardedCallCounts(0, 0, 0));
        for (int i = 0; i < FewNames.MOST; i++) {
            observer.candidateAdded("tenant-" + i);
        }
        election.start();
        await().until(election::isLeader);
        observer.candidateAdded("x");
        assertThat(registry.find("paxoslease.leader").tag("role", "x").gauge()).isNull();

        observer.granted("x");
        assertThat(value("paxoslease.leader", "role", "x")).isEqualTo(1);
        for (int i = 0; i < FewNames.MOST; i++) {
            observer.granted("more-" + i);
        }
        assertThat(registry.find("paxoslease.leader").gauges()).hasSize(2 * FewNames.MOST);

        observer.revoked("x", RevocationReason.YIELDED);
        assertThat(registry.find("paxoslease.leader").tag("role", "x").gauge()).isNull();
        assertThat(registry.find("paxoslease.leadership.revoked")
                        .tag("role", "x")
                        .counters())
                .isEmpty();
    }

    @Test
    void leasesAreMeasuredByKind() throws Exception {
        metrics.bindTo(registry);
        CompletableFuture<Lease> lock = cell.node("a").acquire("lock:k", AcquireOptions.fixed(Duration.ofSeconds(2)));
        assertThat(lock.get(20, TimeUnit.SECONDS).isHeld()).isTrue();
        assertThat(cell.node("b").tryAcquire("other", AcquireOptions.renewing()))
                .isPresent();
        assertThat(cell.node("a")
                        .tryAcquire(
                                "other",
                                AcquireOptions.builder().maxWait(Duration.ZERO).build()))
                .isEmpty();

        assertThat(value("paxoslease.held.leases")).isEqualTo(1);
        assertThat(timed("paxoslease.acquire", "kind", "lock", "outcome", "granted"))
                .isEqualTo(1);
        assertThat(timed("paxoslease.acquire", "kind", "plain", "outcome", "not_granted"))
                .isEqualTo(1);
        assertThat(timed("paxoslease.round", "purpose", "acquire")).isEqualTo(1);
        assertThat(value("paxoslease.rejected.ballots", "reason", "held")).isPositive();
        cell.advance(Duration.ofSeconds(5));
        assertThat(value("paxoslease.held.leases")).isZero();
        assertThat(value("paxoslease.lost.leases", "kind", "lock", "reason", "expired"))
                .isEqualTo(1);
        assertThat(value("paxoslease.lost.leases", "kind", "role", "reason", "expired"))
                .isZero();
    }

    /** Two leases that are renewed by one round are one round. */
    @Test
    void roundsAreCountedNotLeases() throws Exception {
        assertThat(cell.node("a").tryAcquire("x", AcquireOptions.renewing())).isPresent();
        assertThat(cell.node("a").tryAcquire("y", AcquireOptions.renewing())).isPresent();
        metrics.bindTo(registry);
        double before = value("paxoslease.sent.messages", "type", "extend");
        cell.advance(Duration.ofSeconds(10));
        double sent = value("paxoslease.sent.messages", "type", "extend") - before;

        assertThat((double) timed("paxoslease.round", "purpose", "renew"))
                .isGreaterThan(5)
                .isEqualTo(sent / 2);
    }

    @Test
    void theCellIsMeasured() throws Exception {
        metrics.bindTo(registry);
        assertThat(value("paxoslease.reachable.members")).isEqualTo(3);
        assertThat(value("paxoslease.majority.members")).isEqualTo(2);
        assertThat(value("paxoslease.peer.connected", "peer", "b")).isEqualTo(1);
        assertThat(cell.node("a").tryAcquire("x", AcquireOptions.renewing())).isPresent();
        assertThat(value("paxoslease.sent.messages", "type", "propose")).isEqualTo(2);
        assertThat(value("paxoslease.received.messages", "type", "accepted")).isEqualTo(2);
        assertThat(value("paxoslease.clock.disagreements")).isZero();
        assertThat(value("paxoslease.clocks.apart")).isZero();

        cell.crash("b");
        assertThat(value("paxoslease.reachable.members")).isEqualTo(2);
        assertThat(value("paxoslease.peer.connected", "peer", "b")).isZero();
        cell.crash("a");
        assertThat(value("paxoslease.reachable.members")).isZero();
        assertThat(value("paxoslease.peer.round.trip", "peer", "b")).isNaN();
        cell.restart("a");
        assertThat(value("paxoslease.quarantine.remaining")).isBetween(6.0, 6.2);
        cell.advance(Duration.ofSeconds(10));
        assertThat(value("paxoslease.quarantine.remaining")).isZero();
    }

    /** All meters are read in one go, within the time that a scraper waits. */
    @Test
    void aNodeThatDoesNotAnswerIsAskedOnceForAllMeters() {
        MockClock clock = new MockClock();
        SimpleMeterRegistry mine = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);
        AtomicInteger asked = new AtomicInteger();
        AtomicBoolean answers = new AtomicBoolean();
        NodeMonitor node = (NodeMonitor) Proxy.newProxyInstance(
                NodeMonitor.class.getClassLoader(), new Class<?>[] {NodeMonitor.class}, (proxy, method, args) -> {
                    if (method.getName().equals("status") && method.getParameterCount() == 0) {
                        asked.incrementAndGet();
                        if (!answers.get()) {
                            throw new PaxosLeaseException("The node does not answer");
                        }
                    }
                    return method.invoke(cell.node("a").monitor(), args);
                });
        try (PaxosLeaseMetrics ofNode = new PaxosLeaseMetrics(node, () -> null, List::of)) {
            ofNode.bindTo(mine);
            mine.getMeters().forEach(meter -> meter.measure().forEach(Measurement::getValue));
            assertThat(asked).hasValue(1);
            assertThat(mine.get("paxoslease.reachable.members").gauge().value()).isNaN();
            assertThat(mine.get("paxoslease.held.leases").gauge().value()).isZero();
            answers.set(true);
            clock.add(Duration.ofSeconds(9));
            assertThat(mine.get("paxoslease.reachable.members").gauge().value()).isNaN();
            clock.add(Duration.ofSeconds(1));
            assertThat(mine.get("paxoslease.reachable.members").gauge().value()).isEqualTo(3);
            assertThat(mine.get("paxoslease.majority.members").gauge().value()).isEqualTo(2);
        }
    }

    @Test
    void whatIsClosedCountsNoMore() throws Exception {
        metrics.bindTo(registry);
        metrics.close();
        assertThat(cell.node("a").tryAcquire("x", AcquireOptions.renewing())).isPresent();

        assertThat(timed("paxoslease.round", "purpose", "acquire")).isZero();
    }

    private static final class Idle implements LeaderCandidate {
        @Override
        public void onGranted(Leadership leadership) {}

        @Override
        public void onRevoked(Leadership leadership) {}
    }
}
