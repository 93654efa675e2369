package io.paxoslease.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.registers.MaxRegisterMessage;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

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
    private static final Duration CHANGE = Duration.ofSeconds(12);

    private final RegisterCell cell = new RegisterCell(1);

    private static MemberList list(String... ids) {
        return new MemberList(Stream.of(ids).map(NodeId::new).toList(), MAX, 0.1);
    }

    private void start(Generation generation, String... ids) {
        List.of(ids).forEach(id -> cell.start(id, generation));
    }

    private void stop(String... ids) {
        List.of(ids).forEach(cell::stop);
    }

    private OptionalLong read(String node) {
        return cell.await(cell.node(node).read("r")).join();
    }

    private void raise(String node, long value) {
        cell.await(cell.node(node).raise("r", value)).join();
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

    /** As one that is dropped where a connection is congested. */
    @Test
    void whatIsToldToNewMembersIsRepeatedUntilItHasCome() {
        start(FIRST, "a", "b", "c");
        cell.pass(CHANGE);
        for (int i = 0; i < 250; i++) {
            cell.await(cell.node("a").raise("r" + i, i)).join();
        }
        raise("a", 5);
        start(SECOND, "d", "e", "f");
        SplittableRandom random = new SplittableRandom(3);
        cell.lose((from, to, message) -> message instanceof MaxRegisterMessage && random.nextInt(3) > 0);
        cell.change(SECOND, "a", "b", "c");
        cell.pass(CHANGE);
        cell.lose((from, to, message) -> false);
        stop("a", "b", "c");
        for (int i = 0; i < 250; i++) {
            assertThat(cell.await(cell.node("d").read("r" + i)).join()).isEqualTo(OptionalLong.of(i));
        }
    }
}
