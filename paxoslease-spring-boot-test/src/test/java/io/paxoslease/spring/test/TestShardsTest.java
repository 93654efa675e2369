package io.paxoslease.spring.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.PaxosLease;
import io.paxoslease.shards.Shard;
import io.paxoslease.shards.ShardCall;
import io.paxoslease.shards.ShardGroup;
import io.paxoslease.spring.shards.OnShard;
import io.paxoslease.spring.shards.OnShardGranted;
import io.paxoslease.spring.shards.OnShardRevoked;
import io.paxoslease.spring.shards.ShardComponentFactory;
import io.paxoslease.spring.shards.ShardGroups;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The test support as users of shards have it, in a plain test of an application: no port, no sleeping. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.NONE,
        properties = {
            "paxoslease.shards.invoices.count=8",
            "paxoslease.shards.asked.count=3",
            "paxoslease.shards.asked.max-owned=2",
            "paxoslease.shards.single.count=1",
            "paxoslease.shards.failing.count=2"
        })
@Timeout(120)
@Tag("slow")
@Tag("jdk")
@AutoConfigureTestLeadership
class TestShardsTest {

    @Autowired
    private TestShards shards;

    @Autowired
    private TestLeadership leadership;

    @Autowired
    private ShardGroups groups;

    @Autowired
    private PaxosLease node;

    @Autowired
    private Log log;

    @Autowired
    private Failing failing;

    @Autowired
    private ConfigurableApplicationContext context;

    @BeforeEach
    void clear() {
        log.entries.clear();
        log.work.clear();
        failing.isFailing = false;
    }

    private ShardGroup invoices() {
        return groups.get("invoices");
    }

    /** In any order of tests: what is granted to one test is revoked before the next. */
    @Test
    void nothingIsOwnedUntilTheTestGrantsIt() {
        assertThat(groups.all()).isNotEmpty().allSatisfy(group -> assertThat(group.ownedIndexes())
                .isEmpty());
        shards.advance(Duration.ofMinutes(5));
        assertThat(groups.all())
                .allSatisfy(group -> assertThat(group.ownedIndexes()).isEmpty());
        assertThat(log.entries).isEmpty();
        assertThat(invoices().ownerOf(3)).contains("test-peer-1");
    }

    @Test
    void whatIsGrantedIsOwnedAndItsWorkHasBegun() throws Exception {
        shards.grant("invoices", 7, 3);
        assertThat(log.entries).containsExactlyInAnyOrder("opened 3", "granted 3", "opened 7", "granted 7");
        assertThat(invoices().ownedIndexes()).containsExactly(3, 7);
        assertThat(invoices().owns(3)).isTrue();
        assertThat(invoices().owns(4)).isFalse();
        assertThat(invoices().callIfOwned(7, () -> Shard.current().index())).contains(7);
        assertThat(invoices().callIfOwned(6, () -> "called")).isEmpty();
        assertThat(List.of(log.nextWork(), log.nextWork())).containsExactlyInAnyOrder("work 3", "work 7");
        shards.grant("invoices", 3);
        shards.advance(Duration.ofMinutes(5));
        assertThat(invoices().ownedIndexes()).containsExactly(3, 7);
        assertThat(log.entries).hasSize(4);
    }

    @Test
    void whatIsRevokedHasEndedItsWork() throws Exception {
        shards.grant("invoices", 3, 4);
        assertThat(List.of(log.nextWork(), log.nextWork())).hasSize(2);
        long token = invoices().shard(3).orElseThrow().fencingToken();
        shards.revoke("invoices", 3);
        assertThat(log.of(3)).containsExactly("opened", "granted", "interrupted", "revoked", "closed");
        assertThat(log.of(4)).containsExactly("opened", "granted");
        assertThat(invoices().ownedIndexes()).containsExactly(4);
        assertThat(invoices().ownerOf(3)).contains("test-peer-1");
        shards.revoke("invoices", 3);
        shards.advance(Duration.ofMinutes(1));
        assertThat(log.of(3)).hasSize(5);
        shards.grant("invoices", 3);
        assertThat(invoices().shard(3).orElseThrow().fencingToken()).isGreaterThan(token);
        assertThat(log.of(3)).hasSize(7);
        shards.revokeAll("invoices");
        assertThat(invoices().ownedIndexes()).isEmpty();
        assertThat(log.of(4)).endsWith("closed");
    }

    /** As in production, where the next owner gets the shard only then. */
    @Test
    void aShardIsReleasedAfterItsCallsHaveEnded() throws Exception {
        shards.grant("asked", 1);
        ShardGroup asked = groups.get("asked");
        long lost = asked.counts().lost();
        CountDownLatch isInside = new CountDownLatch(1);
        Thread caller = new Thread(() -> {
            try (ShardCall call = asked.enter(1, true).orElseThrow()) {
                call.shard().check();
                isInside.countDown();
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException e) { // inside of the call, which a catch around it would be after
                    boolean isHeld =
                            node.monitor().status("shard:asked/1").orElseThrow().fencingToken() != null;
                    log.entries.add(isHeld ? "interrupted while held" : "interrupted");
                }
            }
        });
        caller.start();
        isInside.await();
        shards.revoke("asked", 1);
        assertThat(log.entries).containsExactly("interrupted while held");
        assertThat(asked.counts().lost()).isEqualTo(lost);
        caller.join();
    }

    @Test
    void aCallOfTheTestItselfIsInterruptedAndNotWaitedFor() throws Exception {
        shards.grant("asked", 1);
        assertThat(groups.get("asked").callIfOwned(1, () -> {
                    shards.revoke("asked", 1);
                    return Thread.interrupted() && !Shard.current().isOwned();
                }))
                .contains(true);
        shards.revoke("asked", 1);
        assertThat(groups.get("asked").ownerOf(1)).contains("test-peer-1");
    }

    @Test
    void aWholeGroupIsGranted() {
        shards.grantAll("invoices");
        assertThat(invoices().ownedIndexes()).hasSize(8);
        shards.grantAll("single");
        assertThat(groups.get("single").ownedIndexes()).containsExactly(0);
        assertThat(invoices().ownedIndexes()).hasSize(8);
    }

    @Test
    void moreThanMaxOwnedIsRefused() {
        shards.grant("asked", 0);
        assertThatIllegalStateException()
                .isThrownBy(() -> shards.grant("asked", 1, 2))
                .withMessage(
                        "3 shards of group 'asked' would be granted, [0, 1, 2], and paxoslease.shards.asked.max-owned is 2:"
                                + " revoke some first, or set it higher in this test");
        assertThat(groups.get("asked").ownedIndexes()).containsExactly(0);
        shards.grant("asked", 2);
        assertThat(groups.get("asked").ownedIndexes()).containsExactly(0, 2);
    }

    @Test
    void wrongUseIsToldWhatToWrite() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> shards.grant("invoice", 1))
                .withMessageContaining("There is no group 'invoice', only [asked, failing, invoices, single]")
                .withMessageContaining("set paxoslease.shards.invoice.count");
        assertThatIllegalArgumentException().isThrownBy(() -> shards.revoke("invoice", 1));
        assertThatIllegalArgumentException().isThrownBy(() -> shards.revokeAll("invoice"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> shards.grant("invoices", 2, 8))
                .withMessage("Group 'invoices' has shards 0 to 7, and none with index 8: name one of these, or set"
                        + " paxoslease.shards.invoices.count to more");
        assertThatIllegalArgumentException().isThrownBy(() -> shards.revoke("invoices", -1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> shards.grant("invoices"))
                .withMessage("No shard is named: write grant(\"invoices\", 0), or grantAll(\"invoices\")");
        assertThat(invoices().ownedIndexes()).isEmpty();
    }

    @Test
    void workThatFailsBeforeItBeginsFailsTheGrant() {
        failing.isFailing = true;
        assertThatIllegalStateException()
                .isThrownBy(() -> shards.grant("failing", 1))
                .withMessageContaining("The work on shard 1 of group 'failing' failed before it had begun");
        failing.isFailing = false;
        shards.grant("failing", 1);
        assertThat(groups.get("failing").ownedIndexes()).containsExactly(1);
    }

    @Test
    void aShardThatAnotherNodeOwnsIsNotGranted() throws Exception {
        shards.grant("single", 0);
        var waiting = shards.cell().node("test-peer-2").acquire("shard:single/0", AcquireOptions.renewing());
        shards.cell().crash("test-peer-1");
        shards.revoke("single", 0);
        shards.advance(Duration.ofSeconds(1));
        Lease taken = waiting.get(10, TimeUnit.SECONDS);
        assertThatIllegalStateException()
                .isThrownBy(() -> shards.grant("single", 0))
                .withMessageContaining(
                        "did not become the owner of shards [0] of group 'single'. Node 'test-peer-2' owns shard 0");
        taken.release();
        shards.cell().restart("test-peer-1");
        shards.advance(Duration.ofSeconds(15));
        shards.grant("single", 0);
    }

    /** Without the node that holds what is not granted. */
    @Test
    void nothingElseIsOwnedWhenTheOtherNodesChange() {
        shards.grant("invoices", 2);
        shards.cell().crash("test-peer-1");
        shards.advance(Duration.ofSeconds(30));
        assertThat(invoices().ownedIndexes()).containsExactly(2);
        shards.cell().restart("test-peer-1");
        shards.advance(Duration.ofSeconds(30));
        shards.grant("invoices", 5);
        assertThat(invoices().ownedIndexes()).containsExactly(2, 5);
        shards.revoke("invoices", 2);
        assertThat(invoices().ownedIndexes()).containsExactly(5);
    }

    @Test
    void aNodeThatIsCutOffLosesItsShardsAndGetsThemBack() {
        shards.grant("invoices", 2, 6);
        shards.cell().disconnect("test");
        shards.advance(Duration.ofSeconds(4));
        assertThat(invoices().ownedIndexes()).isEmpty();
        shards.cell().reconnect("test");
        shards.advance(Duration.ofSeconds(4));
        assertThat(invoices().ownedIndexes()).containsExactly(2, 6);
    }

    @Test
    void theContextMayStopAndStartAgain() {
        shards.grant("invoices", 2);
        context.stop();
        assertThat(log.of(2)).endsWith("closed");
        assertThatIllegalStateException()
                .isThrownBy(() -> shards.grant("invoices", 3))
                .withMessageContaining("its context is stopped");
        context.start();
        shards.grant("invoices", 2);
        assertThat(invoices().ownedIndexes()).containsExactly(2);
        shards.advance(Duration.ofSeconds(15)); // the node votes again, for the sake of the other tests
        assertThat(invoices().ownedIndexes()).containsExactly(2);
    }

    @Test
    void rolesAndShardsAreGrantedSeparately() {
        shards.grant("invoices", 2);
        leadership.reset();
        leadership.advance(Duration.ofMinutes(1));
        assertThat(invoices().ownedIndexes()).containsExactly(2);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class App {

        @Bean
        Log log() {
            return new Log();
        }

        @Bean
        Invoices invoices(Log log) {
            return new Invoices(log);
        }

        @Bean
        Clients clients(Log log) {
            return new Clients(log);
        }

        @Bean
        Failing failing() {
            return new Failing();
        }
    }

    static class Log {

        final List<String> entries = new CopyOnWriteArrayList<>();
        final BlockingQueue<String> work = new LinkedBlockingQueue<>();

        void add(String what, Shard shard) {
            entries.add(what + " " + shard.index());
        }

        List<String> of(int shard) {
            return entries.stream()
                    .filter(entry -> entry.endsWith(" " + shard))
                    .map(entry -> entry.substring(0, entry.indexOf(' ')))
                    .toList();
        }

        String nextWork() throws InterruptedException {
            return String.valueOf(work.poll(10, TimeUnit.SECONDS));
        }
    }

    static class Invoices {

        private final Log log;

        Invoices(Log log) {
            this.log = log;
        }

        @OnShardGranted("invoices")
        void granted(Shard shard) {
            log.add("granted", shard);
        }

        @OnShard("invoices")
        void work(Shard shard) {
            log.work.add("work " + shard.index());
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                log.add("interrupted", shard);
            }
        }

        @OnShardRevoked("invoices")
        void revoked(Shard shard) {
            log.add("revoked", shard);
        }
    }

    static class Clients implements ShardComponentFactory<AutoCloseable> {

        private final Log log;

        Clients(Log log) {
            this.log = log;
        }

        @Override
        public String group() {
            return "invoices";
        }

        @Override
        public AutoCloseable open(Shard shard) {
            log.add("opened", shard);
            return () -> log.add("closed", shard);
        }
    }

    static class Failing {

        volatile boolean isFailing;

        @OnShardGranted("failing")
        void granted(Shard shard) {
            if (isFailing) {
                throw new IllegalStateException("not today");
            }
        }
    }
}
