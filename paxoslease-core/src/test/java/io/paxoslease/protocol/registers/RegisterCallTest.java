package io.paxoslease.protocol.registers;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.registers.MaxRegisterMessage.ReadRegister;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class RegisterCallTest {

    private static final NodeId A = new NodeId("a");
    private static final NodeId B = new NodeId("b");
    private static final NodeId C = new NodeId("c");
    private static final NodeId D = new NodeId("d");

    private final Quorum members = new Quorum(List.of(A, B, C));
    private final RegisterCall call = new RegisterCall(new ReadRegister(1, "r"), members);

    @Test
    void aMajorityOfDifferentMembersDecides() {
        assertThat(call.missing()).containsExactly(A, B, C);
        call.answered(A, OptionalLong.of(2));
        call.answered(A, OptionalLong.of(2));
        call.answered(D, OptionalLong.empty());
        assertThat(call.isDecided()).isFalse();
        assertThat(call.waitsFor(A)).isFalse();
        assertThat(call.waitsFor(B)).isTrue();
        assertThat(call.missing()).containsExactly(B, C);

        call.answered(C, OptionalLong.empty());
        assertThat(call.isDecided()).isTrue();
        assertThat(call.highest()).isEqualTo(OptionalLong.of(2));
    }

    @Test
    void theHighestOfAllValuesCounts() {
        assertThat(call.highest()).isEmpty();
        call.answered(A, OptionalLong.empty());
        assertThat(call.highest()).isEmpty();
        call.answered(B, OptionalLong.of(5));
        call.answered(C, OptionalLong.of(4));
        assertThat(call.highest()).isEqualTo(OptionalLong.of(5));
        call.answered(A, OptionalLong.of(6));
        assertThat(call.highest()).isEqualTo(OptionalLong.of(6));
    }

    @Test
    void bothListsDecideBeforeTheSeal() {
        Quorum joint = Quorum.joint(2, 0, List.of(A, B, C), List.of(C, D));
        RegisterCall ofBoth = new RegisterCall(new ReadRegister(1, "r"), joint);
        ofBoth.answered(A, OptionalLong.empty());
        ofBoth.answered(C, OptionalLong.empty());
        assertThat(ofBoth.isDecided()).isFalse();
        assertThat(ofBoth.missing()).containsExactly(B, D);
        ofBoth.answered(D, OptionalLong.empty());
        assertThat(ofBoth.isDecided()).isTrue();
    }

    @Test
    void whoIsNoMemberHasNoValue() {
        call.answered(D, OptionalLong.of(9));
        assertThat(call.waitsFor(D)).isFalse();
        assertThat(call.highest()).isEmpty();
    }
}
