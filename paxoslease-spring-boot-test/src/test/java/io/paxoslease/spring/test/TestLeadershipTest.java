package io.paxoslease.spring.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.PaxosLease;
import io.paxoslease.election.GuardedCall;
import io.paxoslease.election.Leadership;
import io.paxoslease.spring.leader.LeaderElections;
import io.paxoslease.spring.leader.OnGranted;
import io.paxoslease.spring.leader.OnLeader;
import io.paxoslease.spring.leader.OnRevoked;
import io.paxoslease.spring.lock.PaxosLeaseLockRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.leader.AbstractCandidate;
import org.springframework.integration.leader.Context;

/** The test support as users have it, in a plain test of an application: no port, no sleeping. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.NONE,
        properties = {"paxoslease.lease-time=2s", "paxoslease.roles.never.eligible=false"})
@Tag("slow")
@Tag("jdk")
@AutoConfigureTestLeadership
class TestLeadershipTest {

    @Autowired
    private TestLeadership leadership;

    @Autowired
    private Job job;

    @Autowired
    private Log log;

    @Autowired
    private LeaderElections elections;

    @Autowired
    private PaxosLeaseLockRegistry locks;

    @Autowired
    private PaxosLease node;

    @Autowired
    private ConfigurableApplicationContext context;

    @BeforeEach
    void clear() {
        log.entries.clear();
    }

    /** In any order of tests: the roles granted to one test are revoked before the next. */
    @Test
    void nothingIsLedUntilTheTestGrantsIt() {
        assertThat(job.run()).isNull();
        leadership.advance(Duration.ofHours(1));
        assertThat(job.run()).isNull();
        assertThat(leadership.isLeader("leader")).isFalse();
    }

    @Test
    void whatIsGrantedIsLedAndEverybodyHasBeenTold() {
        leadership.grant();
        assertThat(job.run()).isEqualTo("ran");
        assertThat(log.entries).containsExactly("started", "granted");
        assertThat(elections.leaderId("leader")).contains("test");
        leadership.advance(Duration.ofHours(1));
        assertThat(job.run()).isEqualTo("ran");
        leadership.grant("leader");
        assertThat(log.entries).hasSize(2);
    }

    @Test
    void whatIsRevokedIsGivenUp() {
        leadership.grant();
        long token = elections.leadership("leader").orElseThrow().fencingToken();
        leadership.revoke();
        assertThat(job.run()).isNull();
        assertThat(log.entries).containsExactly("started", "granted", "stopped", "revoked");
        leadership.advance(Duration.ofMinutes(1));
        assertThat(job.run()).isNull();
        leadership.revoke("leader");
        leadership.grant();
        assertThat(elections.leadership("leader").orElseThrow().fencingToken()).isGreaterThan(token);
        assertThat(log.entries).hasSize(6);
    }

    @Test
    void whatExpiresIsLostInTheMiddleOfACall() {
        leadership.grant();
        assertThat(job.expire(leadership)).isEqualTo("led, and was interrupted when it led no more");
        assertThat(log.entries).containsExactly("started", "granted", "stopped", "revoked");
        assertThat(elections.callCounts("leader").interrupted()).isEqualTo(1);
    }

    @Test
    void whatIsRevokedIsReleasedAfterItsCallsHaveEnded() {
        leadership.grant();
        try (GuardedCall call = elections.enter("leader", false).orElseThrow()) {
            leadership.revoke();
            leadership.advance(Duration.ofSeconds(29));
            assertThat(call.hasOutlivedItsLease()).isFalse();
            assertThat(job.run()).isNull();
        }
        leadership.grant();
        assertThat(job.run()).isEqualTo("ran");
    }

    /** Thirty seconds of the cell's time: no test waits for them. */
    @Test
    void aCallThatDoesNotEndOutlivesItsLeaseWhenTheClockHasPassedItsLimit() {
        leadership.grant();
        try (GuardedCall call = elections.enter("leader", false).orElseThrow()) {
            leadership.revoke();
            leadership.advance(Duration.ofSeconds(31));
            assertThat(call.hasOutlivedItsLease()).isTrue();
        }
    }

    @Test
    void aRoleThatAnotherNodeLeadsCannotBeGranted() throws Exception {
        Lease taken = leadership
                .cell()
                .node("test-peer-1")
                .acquire("role:other", AcquireOptions.renewing())
                .get(10, TimeUnit.SECONDS);
        assertThatIllegalStateException()
                .isThrownBy(() -> leadership.grant("other"))
                .withMessageStartingWith("Node 'test-peer-1' leads it.");
        taken.release();
        leadership.grant("other");
    }

    @Test
    void aMisspeltRoleIsNoticed() {
        assertThatIllegalArgumentException().isThrownBy(() -> leadership.revoke("ledaer"));
        assertThatIllegalArgumentException().isThrownBy(() -> leadership.expire("ledaer"));
        assertThatIllegalArgumentException().isThrownBy(() -> leadership.isLeader("ledaer"));
    }

    @Test
    void oneRoleExpiresAndTheOthersAndTheLocksAreKept() throws Exception {
        leadership.grant("leader", "other");
        String seen = locks.executeLocked("stock", () -> {
            leadership.expire();
            return "leader: %s, other: %s, lock: %s"
                    .formatted(
                            leadership.isLeader("leader"),
                            leadership.isLeader("other"),
                            locks.obtain("stock").isHeldByCurrentThread());
        });
        assertThat(seen).isEqualTo("leader: false, other: true, lock: true");
    }

    @Test
    void aCandidateThatWorksIsNotWaitedForToReturn() {
        leadership.grant("working");
        assertThat(leadership.isLeader("working")).isTrue();
        assertThat(log.entries).containsExactly("working");
        leadership.revoke("working");
        assertThat(log.entries).containsExactly("working", "worked");
    }

    @Test
    void aRoleThatIsNotStoodForCannotBeGranted() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> leadership.grant("unknown"))
                .withMessage(
                        "This application does not contest the role 'unknown', because no bean or property names it."
                                + " Its roles are [leader, never, other, working]");
        assertThatIllegalStateException()
                .isThrownBy(() -> leadership.grant("never"))
                .withMessageContaining("paxoslease.roles.never.eligible is false");
    }

    @Test
    void theContextMayStopAndStartAgain() {
        for (int round = 0; round < 2; round++) {
            leadership.grant();
            context.stop();
            assertThat(job.run()).isNull();
            context.start();
            leadership.grant();
            assertThat(job.run()).isEqualTo("ran");
            context.pause();
            assertThat(node.monitor().isRunning()).isFalse();
            context.restart();
            leadership.grant();
            assertThat(job.run()).isEqualTo("ran");
        }
    }

    @Test
    void theNodeHasNoPortAndTheLeaseTimesOfTheApplication() {
        assertThat(node.monitor().options().leaseTime()).isEqualTo(Duration.ofSeconds(2));
        assertThat(node.monitor().options().maxLeaseTime()).isEqualTo(Duration.ofSeconds(5));
        assertThat(node.monitor().status().peers())
                .allMatch(peer -> peer.address().startsWith("in-memory:"));
        assertThat(leadership.cell().node("test")).isSameAs(node);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class App {

        @Bean
        Log log() {
            return new Log();
        }

        @Bean
        Job job() {
            return new Job();
        }

        @Bean
        Listener listener(Log log) {
            return new Listener(log);
        }

        @Bean
        @OnLeader
        Work work(Log log) {
            return new Work(log);
        }

        @Bean
        io.paxoslease.spring.leader.PaxosLeaseLeaderInitiator working(PaxosLease node, Log log) {
            return new io.paxoslease.spring.leader.PaxosLeaseLeaderInitiator(node, new WorkingCandidate(log));
        }
    }

    static class Log {
        final List<String> entries = new CopyOnWriteArrayList<>();
    }

    static class Job {

        @OnLeader
        @Nullable
        public String run() {
            return "ran";
        }

        @OnLeader
        @Nullable
        public String expire(TestLeadership leadership) {
            Leadership mine = Leadership.current();
            boolean led = mine.isLeader();
            leadership.expire();
            boolean interrupted = Thread.interrupted();
            return led && interrupted && !mine.isLeader() ? "led, and was interrupted when it led no more" : "?";
        }
    }

    static class Listener {

        private final Log log;

        Listener(Log log) {
            this.log = log;
        }

        @OnGranted
        void granted() {
            log.entries.add("granted");
        }

        @OnRevoked
        void revoked() {
            log.entries.add("revoked");
        }

        @OnGranted("other")
        void other() {}
    }

    static class Work implements SmartLifecycle {

        private final Log log;
        private volatile boolean running;

        Work(Log log) {
            this.log = log;
        }

        @Override
        public void start() {
            log.entries.add("started");
            running = true;
        }

        @Override
        public void stop() {
            log.entries.add("stopped");
            running = false;
        }

        @Override
        public boolean isRunning() {
            return running;
        }
    }

    static class WorkingCandidate extends AbstractCandidate {

        private final Log log;

        WorkingCandidate(Log log) {
            super("candidate", "working");
            this.log = log;
        }

        @Override
        public void onGranted(Context context) throws InterruptedException {
            log.entries.add("working");
            new java.util.concurrent.CountDownLatch(1).await();
        }

        @Override
        public void onRevoked(Context context) {
            log.entries.add("worked");
        }
    }
}
