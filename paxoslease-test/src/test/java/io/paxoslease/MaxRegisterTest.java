package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.paxoslease.protocol.registers.RegisterValues;
import io.paxoslease.testing.Futures;
import io.paxoslease.testing.InMemoryCell;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Registers of a cell whose clock the test turns. */
class MaxRegisterTest {

    /** Of the cell, so that a request is tried for so long. */
    private static final Duration LEASE = Duration.ofSeconds(3);

    private InMemoryCell cell = InMemoryCell.of(LEASE, Duration.ofSeconds(5), "a", "b", "c");

    @AfterEach
    void close() {
        cell.close();
    }

    private void use(InMemoryCell other) {
        cell.close();
        cell = other;
    }

    private void raise(String node, String register, long value) throws InterruptedException {
        Futures.get(cell.node(node).registers().raise(register, value).thenApply(done -> true));
    }

    private OptionalLong read(String node, String register) throws InterruptedException {
        return Futures.get(cell.node(node).registers().read(register));
    }

    private static OptionalLong of(long value) {
        return OptionalLong.of(value);
    }

    private static Throwable failure(CompletableFuture<?> call) throws Exception {
        try {
            throw new AssertionError("It answered " + call.get(20, TimeUnit.SECONDS));
        } catch (ExecutionException failed) {
            return Objects.requireNonNull(failed.getCause());
        }
    }

    @Test
    void whatOneNodeRaisesEveryOtherReads() throws InterruptedException {
        cell.addClient("z");
        assertThat(read("c", "slot")).isEmpty();

        raise("a", "slot", 7);
        raise("a", "zero", 0);

        for (String node : new String[] {"a", "b", "c", "z"}) {
            assertThat(read(node, "slot")).isEqualTo(of(7));
            assertThat(read(node, "zero")).isEqualTo(of(0));
            assertThat(read(node, "other")).isEmpty();
        }
    }

    @Test
    void aValueNeverShrinks() throws InterruptedException {
        raise("a", "slot", Long.MAX_VALUE - 1);
        raise("b", "slot", 3);
        raise("a", "slot", 4);
        assertThat(read("c", "slot")).isEqualTo(of(Long.MAX_VALUE - 1));

        raise("c", "slot", Long.MAX_VALUE);
        assertThat(read("b", "slot")).isEqualTo(of(Long.MAX_VALUE));
    }

    @Test
    void clientsRaiseAndRead() throws InterruptedException {
        cell.addClient("y");
        cell.addClient("z");
        raise("y", "slot", 5);
        assertThat(read("z", "slot")).isEqualTo(of(5));
        assertThat(read("a", "slot")).isEqualTo(of(5));
    }

    @Test
    void requestsBeyondABoundAreRefused() throws Exception {
        cell.disconnect("a");
        List<CompletableFuture<OptionalLong>> waiting = new ArrayList<>();
        for (int i = 0; i < 1_024; i++) {
            waiting.add(cell.node("a").registers().read("slot"));
        }
        assertThat(failure(cell.node("a").registers().raise("slot", 1)))
                .isInstanceOf(PaxosLeaseException.class)
                .hasMessageContaining("1024 requests on registers wait already, so await some of them first");
        assertThat(waiting).noneMatch(CompletableFuture::isDone);

        cell.reconnect("a");
        cell.advance(LEASE);
        for (CompletableFuture<OptionalLong> each : waiting) {
            assertThat(Futures.get(each)).isEmpty();
        }
        raise("a", "slot", 1);
    }

    @Test
    void aMajorityIsEnough() throws InterruptedException {
        cell.disconnect("c");
        raise("a", "slot", 5);
        cell.reconnect("c");
        cell.crash("a");
        assertThat(read("c", "slot")).isEqualTo(of(5));
    }

    @Test
    void withoutAMajorityBothFailWithinTheLeaseTime() throws Exception {
        cell.addClient("z");
        cell.crash("b");
        cell.disconnect("c");
        CompletableFuture<Void> raised = cell.node("a").registers().raise("slot", 5);
        CompletableFuture<OptionalLong> read = cell.node("z").registers().read("slot");
        cell.advance(LEASE.minusMillis(1));
        assertThat(raised).isNotDone();
        assertThat(read).isNotDone();

        cell.advance(Duration.ofMillis(1));
        assertThat(failure(raised))
                .isExactlyInstanceOf(PaxosLeaseException.class)
                .hasMessage(
                        "Register 'slot' was not raised: no majority of the members answered within 3000 ms, but some of them may have the value");
        assertThat(failure(read))
                .isExactlyInstanceOf(PaxosLeaseException.class)
                .hasMessage("Register 'slot' was not read: no majority of the members answered within 3000 ms");
    }

    /** It is raised all the same: the value is sent to members that come back, within the time and after it. */
    @Test
    void aMemberThatComesBackWithinTheTimeAnswers() throws InterruptedException {
        cell.disconnect("a");
        CompletableFuture<Void> raised = cell.node("a").registers().raise("slot", 5);
        cell.advance(LEASE.minusMillis(1));
        cell.reconnect("a");
        Futures.get(raised.thenApply(done -> true));
        assertThat(read("b", "slot")).isEqualTo(of(5));
    }

    @Test
    void theTimeIsAtLeastOneSecondAndAtMostFive() {
        use(InMemoryCell.of(Duration.ofMillis(100), Duration.ofMillis(100), "a", "b"));
        assertThatItFailsAfter(Duration.ofSeconds(1));
        use(InMemoryCell.of(Duration.ofSeconds(60), Duration.ofSeconds(60), "a", "b"));
        assertThatItFailsAfter(Duration.ofSeconds(5));
    }

    private void assertThatItFailsAfter(Duration limit) {
        cell.disconnect("b");
        CompletableFuture<OptionalLong> read = cell.node("a").registers().read("slot");
        cell.advance(limit.minusMillis(1));
        assertThat(read).isNotDone();
        cell.advance(Duration.ofMillis(1));
        assertThat(read).failsWithin(Duration.ofSeconds(20));
    }

    /** Members forget at a restart, and are told again by nodes that remember: here by the one that raised it. */
    @Test
    void aMemberThatStartsAgainGetsItBackFromTheNodeThatRaisedIt() throws InterruptedException {
        cell.addClient("z");
        raise("z", "slot", 5);
        raise("z", "slot", 6);
        for (String member : new String[] {"a", "b", "c"}) {
            cell.crash(member);
        }
        for (String member : new String[] {"a", "b", "c"}) {
            cell.restart(member);
        }
        assertThat(read("b", "slot")).isEqualTo(of(6));
        assertThat(cell.node("z").monitor().messagesSent())
                .containsEntry("knownregisters", 0L)
                .containsEntry("raiseregister", 9L);
    }

    /** As in an update of all nodes, of which the first is the one that raised it. */
    @Test
    void aValueOutlivesARestartOfEveryMemberOneAfterTheOther() throws InterruptedException {
        raise("a", "slot", 5);
        for (int round = 0; round < 2; round++) {
            for (String member : new String[] {"a", "b", "c"}) {
                cell.node(member).stop();
                cell.advance(Duration.ofSeconds(1));
                cell.node(member).start();
                cell.advance(Duration.ofSeconds(1));
            }
        }
        for (String member : new String[] {"a", "b", "c"}) {
            assertThat(read(member, "slot")).isEqualTo(of(5));
        }
    }

    @Test
    void aCellThatStopsAsAWholeForgets() throws InterruptedException {
        raise("a", "slot", 5);
        for (String member : new String[] {"a", "b", "c"}) {
            cell.node(member).stop();
        }
        for (String member : new String[] {"a", "b", "c"}) {
            cell.node(member).start();
        }
        assertThat(read("a", "slot")).isEmpty();
    }

    @Test
    void theOneRaisedLongestAgoIsForgottenFirst() throws InterruptedException {
        raise("a", "first", 1);
        raise("a", "second", 1);
        raise("a", "first", 0);
        for (int i = 0; i < RegisterValues.MOST - 1; i++) {
            raise("b", "r" + i, i);
        }
        assertThat(RegisterValues.MOST).isEqualTo(4_096);
        assertThat(read("c", "second")).isEmpty();
        assertThat(read("c", "first")).isEqualTo(of(1));
        assertThat(read("c", "r0")).isEqualTo(of(0));
    }

    /** More than one message names, so that leases do not wait behind them. */
    @Test
    void manyRegistersComeBackOneMessageAfterTheOther() throws InterruptedException {
        for (int i = 0; i < 250; i++) {
            raise("a", "r" + i, i);
        }
        long before = told("a");
        cell.crash("b");
        cell.restart("b");
        assertThat(told("a") - before).isEqualTo(1);
        cell.advance(Duration.ofMillis(20));
        assertThat(told("a") - before).isEqualTo(3);

        cell.crash("a");
        cell.crash("c");
        cell.restart("c");
        cell.advance(Duration.ofMillis(20));
        assertThat(read("c", "r0")).isEqualTo(of(0));
        assertThat(read("c", "r249")).isEqualTo(of(249));
    }

    private long told(String node) {
        return cell.node(node).monitor().messagesSent().getOrDefault("knownregisters", 0L);
    }

    @Test
    void messagesAreCounted() throws InterruptedException {
        raise("a", "slot", 1);
        read("a", "slot");
        assertThat(cell.node("a").monitor().messagesSent())
                .containsEntry("raiseregister", 2L)
                .containsEntry("readregister", 2L)
                .containsEntry("knownregisters", 0L);
        assertThat(cell.node("a").monitor().messagesReceived()).containsEntry("registervalue", 4L);
        assertThat(cell.node("b").monitor().messagesReceived())
                .containsEntry("raiseregister", 1L)
                .containsEntry("readregister", 1L);
        assertThat(cell.node("b").monitor().messagesSent()).containsEntry("registervalue", 2L);
    }

    @Test
    void aCellOfOneAnswersItself() throws InterruptedException {
        use(InMemoryCell.of("a"));
        raise("a", "slot", 5);
        assertThat(read("a", "slot")).isEqualTo(of(5));
    }

    @Test
    void aNodeThatIsStoppedAnswersNothing() throws Exception {
        cell.disconnect("a");
        PaxosLease a = cell.node("a");
        CompletableFuture<Void> raised = a.registers().raise("slot", 5);
        a.stop();
        assertThat(failure(raised))
                .isInstanceOf(PaxosLeaseException.class)
                .hasMessageStartingWith("This PaxosLease node is not running");
        assertThat(failure(a.registers().read("slot"))).hasMessageStartingWith("This PaxosLease node is not running");
    }

    @Test
    void namesAndValuesAreChecked() {
        PaxosLease a = cell.node("a");
        assertThatIllegalArgumentException().isThrownBy(() -> a.registers().raise("", 1));
        assertThatIllegalArgumentException().isThrownBy(() -> a.registers().read("x".repeat(256)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> a.registers().raise("slot", -1))
                .withMessage("A register has no negative values, and 'slot' was to be raised to -1: count from zero");
    }
}
