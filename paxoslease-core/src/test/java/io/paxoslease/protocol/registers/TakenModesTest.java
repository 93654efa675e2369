package io.paxoslease.protocol.registers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.NodeId;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class TakenModesTest {

    private static final Generation FIRST = Generation.first(list("a", "b", "c"));
    private static final Generation SECOND = new Generation(2, list("c", "d", "e"), FIRST.current());
    private static final Generation THIRD = new Generation(3, list("d", "e", "f"), SECOND.current());

    private static MemberList list(String... ids) {
        return new MemberList(Stream.of(ids).map(NodeId::new).toList(), Duration.ofSeconds(5), 0.1);
    }

    private static RegisterMode alone(Generation generation) {
        return RegisterMode.of(generation.quorum(true));
    }

    private static RegisterMode joint(Generation generation) {
        return RegisterMode.of(generation.quorum(false));
    }

    private static List<RegisterMode> taken(Generation generation) {
        TakenModes taken = new TakenModes(generation);
        return Stream.of(alone(FIRST), joint(SECOND), alone(SECOND), joint(THIRD), alone(THIRD))
                .filter(taken::contain)
                .toList();
    }

    @Test
    void aMemberTakesItsOwnListAloneAndWithTheNeighbours() {
        assertThat(alone(FIRST)).isEqualTo(RegisterMode.FIRST);
        assertThat(taken(FIRST)).containsExactly(alone(FIRST), joint(SECOND));
        assertThat(taken(SECOND)).containsExactly(joint(SECOND), alone(SECOND), joint(THIRD));
        assertThat(taken(THIRD)).containsExactly(joint(THIRD), alone(THIRD));
    }

    @Test
    void anotherContentIsNotTaken() {
        Generation other = new Generation(2, list("c", "d", "x"), FIRST.current());
        assertThat(new TakenModes(other).contain(alone(SECOND))).isFalse();
        assertThat(new TakenModes(other).contain(joint(SECOND))).isFalse();
        assertThat(new TakenModes(other).contain(joint(THIRD))).isFalse();
        assertThat(new TakenModes(FIRST).contain(joint(other))).isTrue();
    }

    @Test
    void noModeIsNegative() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RegisterMode(-1, 0))
                .withMessage("No mode is negative: -1");
    }
}
