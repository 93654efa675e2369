package io.paxoslease.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.registers.MaxRegisterMessage;
import io.paxoslease.protocol.registers.MaxRegisterMessage.KnownRegisters;
import io.paxoslease.protocol.registers.MaxRegisterMessage.RegisterValue;
import io.paxoslease.protocol.registers.RegisterValues;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("proof")
class RegistersOverChangesTest {

    @Test
    void whatWasAcknowledgedIsReadDuringAChangeAndAfterIt() {
        assertThat(new DecidedByOneList().get()).isEmpty();
    }

    @Test
    void whoHasNotHeardOfAChangeIsNotAnsweredByTheListBefore() {
        assertThat(new LateRequester().get()).isEmpty();
    }

    private static final Duration MAX = Duration.ofSeconds(2);
    private static final Generation FIRST = Generation.first(list("a", "b", "c"));
    private static final Generation SECOND = new Generation(2, list("d", "e", "f"), FIRST.current());
    private static final Generation THIRD = new Generation(3, list("g", "h", "i"), SECOND.current());
    private static final Duration LONGEST_ANSWER = Duration.ofMillis(100);
    private static final Duration CHANGE = Duration.ofSeconds(12);
    private static final Duration SOON = Duration.ofSeconds(1);

    private final RegisterCell cell = new RegisterCell(1);

    private static MemberList list(String... ids) {
        return list(MAX, ids);
    }

    private static MemberList list(Duration max, String... ids) {
        return new MemberList(Stream.of(ids).map(NodeId::new).toList(), max, 0.1);
    }

    private void start(Generation generation, String... ids) {
        List.of(ids).forEach(id -> cell.start(id, generation));
    }

    private void stop(String... ids) {
        List.of(ids).forEach(cell::stop);
    }

    private OptionalLong read(String node) {
        return cell.await(cell.node(node).registers().read("r")).join();
    }

    private void raise(String node, long value) {
        cell.await(cell.node(node).registers().raise("r", value)).join();
    }

    /** The client is not started again, asks for no lease, and hears of both changes from members. */
    @Test
    void aClientGoesOnAfterAllMembersHaveBeenReplacedTwice() {
        start(FIRST, "a", "b", "c", "z");
        cell.pass(CHANGE);
        raise("z", 5);
        start(SECOND, "d", "e", "f");
        cell.change(SECOND, "a", "b", "c");
        cell.pass(CHANGE);
        assertThat(cell.sealed("z")).isEqualTo(2);
        stop("a", "b", "c");
        assertThat(read("z")).isEqualTo(OptionalLong.of(5));
        raise("z", 6);

        start(THIRD, "g", "h", "i");
        cell.change(THIRD, "d", "e", "f");
        cell.pass(CHANGE);
        stop("d", "e", "f");
        for (String node : List.of("z", "g", "h", "i")) {
            assertThat(read(node)).as(node).isEqualTo(OptionalLong.of(6));
        }
        raise("z", 7);
    }

    /** The quarantine, and so the time until the seal, is 0.6 s here, and to tell all registers takes longer. */
    @Test
    void whatWasRaisedLastBeforeAMemberMovedIsToldFirst() {
        Duration max = Duration.ofMillis(500);
        Generation one = Generation.first(list(max, "a", "b", "c"));
        Generation two = new Generation(2, list(max, "d", "e", "f"), one.current());
        start(one, "a", "b", "c", "z");
        cell.pass(CHANGE);
        for (int i = 0; i < RegisterValues.MOST; i += 512) {
            List<CompletableFuture<Void>> raises = IntStream.range(i, i + 512)
                    .mapToObj(each -> cell.node("a").registers().raise("r" + each, each))
                    .toList();
            raises.forEach(cell::await);
        }
        start(two, "d", "e", "f");
        cell.pass(CHANGE);
        cell.change(two, "a", "b", "c");
        AtomicLong acknowledged = new AtomicLong();
        for (long value = 1; Stream.of("a", "b", "c").anyMatch(id -> cell.generation(id) == 1); value++) {
            long raised = value;
            cell.node(value % 2 == 0 ? "z" : "a")
                    .registers()
                    .raise("r", raised)
                    .thenRun(() -> acknowledged.set(raised));
            cell.pass(Duration.ofMillis(5));
        }
        cell.pass(LONGEST_ANSWER);
        long least = acknowledged.get();
        assertThat(least).isPositive();
        while (cell.sealed("d") < 2) {
            cell.pass(Duration.ofMillis(5));
        }
        for (int i = 0; i < 20; i++) {
            for (String node : List.of("d", "e", "f")) {
                assertThat(read(node).orElse(0)).as(node).isGreaterThanOrEqualTo(least);
            }
        }
    }

    /** As one that is dropped where a connection is congested. */
    @Test
    void whatIsToldToNewMembersIsRepeatedUntilItHasCome() {
        start(FIRST, "a", "b", "c");
        cell.pass(CHANGE);
        raiseAll("a", 250);
        raise("a", 5);
        start(SECOND, "d", "e", "f");
        SplittableRandom random = new SplittableRandom(3);
        cell.lose((from, to, message) -> message instanceof MaxRegisterMessage && random.nextInt(3) > 0);
        cell.change(SECOND, "a", "b", "c");
        cell.pass(CHANGE);
        loseNothing();
        stop("a", "b", "c");
        readAll("d");
    }

    /** As what comes before the member listens to anything: here the first two of each, and two answers. */
    @Test
    void whatAClientTellsMembersThatStartAgainIsRepeatedUntilItHasCome() {
        start(FIRST, "a", "b", "c", "z");
        cell.pass(CHANGE);
        raiseAll("z", 250);
        stop("a", "b", "c");
        Map<List<Object>, Integer> times = new HashMap<>();
        cell.lose((from, to, message) ->
                message instanceof MaxRegisterMessage && times.merge(List.of(from, to, message), 1, Integer::sum) < 3);
        start(FIRST, "a", "b", "c");
        cell.pass(CHANGE);
        loseNothing();
        stop("z");
        readAll("a");
    }

    /** Members of the generation before have not heard of the change yet: each of them says everything once, as what it asks is answered. */
    @Test
    void aMemberThatStartsInTheNextGenerationIsToldEverythingOnce() {
        start(FIRST, "a", "b", "c");
        cell.pass(CHANGE);
        raiseAll("a", 1_000);
        List<Message> told = toldByA((from, to, message) -> false);
        cell.start("d", SECOND);
        cell.pass(SOON);
        assertThat(told).hasSize(1_000 / KnownRegisters.MOST).doesNotHaveDuplicates();
    }

    /** As one of an older version. */
    @Test
    void aMemberThatDoesNotAnswerIsToldAHundredRegistersASecond() {
        start(FIRST, "a", "b", "c");
        cell.pass(CHANGE);
        raiseAll("a", 1_000);
        stop("b");
        List<Message> told = toldByA((from, to, message) -> message instanceof RegisterValue);
        cell.start("b", FIRST);
        cell.pass(Duration.ofSeconds(1_000 / KnownRegisters.MOST));
        assertThat(Set.copyOf(told)).hasSize(1_000 / KnownRegisters.MOST);
    }

    /** What A tells from now on. */
    private List<Message> toldByA(RegisterCell.Lost lost) {
        List<Message> told = new ArrayList<>();
        cell.lose((from, to, message) -> {
            if (from.name().equals("a") && message instanceof KnownRegisters) {
                told.add(message);
            }
            return lost.is(from, to, message);
        });
        return told;
    }

    private void loseNothing() {
        cell.lose((from, to, message) -> false);
    }

    private void raiseAll(String node, int count) {
        for (int i = 0; i < count; i++) {
            cell.await(cell.node(node).registers().raise("r" + i, i)).join();
        }
    }

    private void readAll(String node) {
        for (int i = 0; i < 250; i++) {
            assertThat(cell.await(cell.node(node).registers().read("r" + i)).join())
                    .isEqualTo(OptionalLong.of(i));
        }
    }
}
