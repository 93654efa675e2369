package io.paxoslease.protocol.registers;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.registers.MaxRegisterMessage.Entry;
import io.paxoslease.protocol.registers.MaxRegisterMessage.KnownRegisters;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RegisterValuesTest {

    private final RegisterValues registers = new RegisterValues();

    private static Entry entry(String register, long value) {
        return new Entry(register, value);
    }

    private List<Entry> all() {
        return registers.known().stream()
                .flatMap(message -> message.registers().stream())
                .toList();
    }

    @Test
    void aRegisterHasTheHighestValueThatItWasRaisedTo() {
        assertThat(registers.value("r")).isEmpty();
        assertThat(registers.raise("r", 3)).isEqualTo(3);
        assertThat(registers.raise("r", 2)).isEqualTo(3);
        registers.learn(entry("r", 1));
        assertThat(registers.value("r")).isEqualTo(OptionalLong.of(3));
        registers.learn(entry("r", 4));
        assertThat(registers.value("r")).isEqualTo(OptionalLong.of(4));
        assertThat(registers.value("s")).isEmpty();
    }

    /** A node that tells what is known already must not keep a register alive. */
    @Test
    void whatIsNoNewsIsNotRaised() {
        registers.raise("r", 1);
        registers.raise("s", 1);
        registers.learn(entry("r", 1));
        assertThat(all()).containsExactly(entry("r", 1), entry("s", 1));
        registers.learn(entry("r", 2));
        assertThat(all()).containsExactly(entry("s", 1), entry("r", 2));
        registers.raise("s", 0);
        assertThat(all()).containsExactly(entry("r", 2), entry("s", 1));
    }

    @Test
    void ofMoreThanTheBoundTheOnesRaisedLongestAgoAreForgotten() {
        for (int i = 0; i < RegisterValues.MOST; i++) {
            registers.raise("r" + i, i);
        }
        assertThat(registers.value("r0")).isPresent();
        registers.raise("r0", 0);
        registers.raise("s", 1);
        registers.learn(entry("t", 1));

        assertThat(registers.value("r0")).isPresent();
        assertThat(registers.value("r1")).isEmpty();
        assertThat(registers.value("r2")).isEmpty();
        assertThat(registers.value("r3")).isPresent();
        assertThat(all()).hasSize(RegisterValues.MOST);
    }

    @Test
    void aMessageNamesAtMostOneHundred() {
        assertThat(registers.known()).isEmpty();
        IntStream.range(0, 201).forEach(i -> registers.raise("r" + i, i));
        List<KnownRegisters> messages = registers.known();
        assertThat(messages).extracting(each -> each.registers().size()).containsExactly(100, 100, 1);
        assertThat(all()).hasSize(201).startsWith(entry("r0", 0)).endsWith(entry("r200", 200));
    }

    @Test
    void whatWasRaisedLastComesFirstWhoeverHasRaisedIt() {
        IntStream.range(0, 150).forEach(i -> registers.raise("r" + i, i));
        registers.raise(Z, "there", "z", 1);
        registers.raise("r7", 7);
        registers.learn(entry("told", 1));
        List<KnownRegisters> messages = registers.knownLastFirst();
        assertThat(messages).extracting(each -> each.registers().size()).containsExactly(100, 52);
        assertThat(messages.get(0).registers())
                .startsWith(entry("told", 1), entry("r7", 7), entry("z", 1), entry("r149", 149));
        assertThat(messages.get(1).registers()).endsWith(entry("r1", 1), entry("r0", 0));
    }

    private static final NodeId Y = new NodeId("y");
    private static final NodeId Z = new NodeId("z");

    @Test
    void aClientHasItsOwnBound() {
        registers.raise("m", 1);
        registers.raise(Y, "here", "y", 1);
        for (int i = 0; i <= RegisterValues.MOST_OF_A_CLIENT; i++) {
            registers.raise(Z, "here", "z" + i, 1);
        }
        assertThat(registers.value("z0")).isEmpty();
        assertThat(registers.value("z1")).isPresent();
        assertThat(all())
                .hasSize(RegisterValues.MOST_OF_A_CLIENT + 2)
                .startsWith(entry("y", 1), entry("z1", 1))
                .endsWith(entry("m", 1));
    }

    /** A client that raises the registers of others first does not own them, and does not forget them for these. */
    @Test
    void whatAnotherNodeHasRaisedTooStays() {
        registers.raise(Z, "here", "of both", 1);
        registers.raise(Z, "here", "of a member too", 1);
        assertThat(registers.raise(Y, "here", "of both", 3)).isEqualTo(3);
        assertThat(registers.raise("of a member too", 4)).isEqualTo(4);
        for (int i = 0; i <= RegisterValues.MOST_OF_A_CLIENT; i++) {
            registers.raise(Z, "here", "z" + i, 1);
        }
        assertThat(registers.value("of both")).isEqualTo(OptionalLong.of(3));
        assertThat(registers.value("of a member too")).isEqualTo(OptionalLong.of(4));
    }

    @Test
    void beyondTheBoundOfAllClientsThatWithTheMostForgets() {
        registers.raise("m", 1);
        int each = RegisterValues.MOST_OF_A_CLIENT - 1;
        for (int client = 0; client * each < RegisterValues.MOST_OF_CLIENTS; client++) {
            for (int i = 0; i < each; i++) {
                registers.raise(new NodeId("c" + client), "here", "c" + client + "-" + i, 1);
            }
        }
        registers.raise(Y, "here", "y", 1);
        assertThat(all()).hasSize(RegisterValues.MOST_OF_CLIENTS + 1);
        assertThat(registers.value("m")).isPresent();
        assertThat(registers.value("y")).isPresent();
        assertThat(registers.value("c0-0"))
                .as("the one of those with most that raised longest ago")
                .isEmpty();
    }

    /** Whatever ids an attacker comes under, and also when all have gone: it has one address. */
    @Test
    void clientsOfOneSourceDoNotCrowdOutThoseOfAnother() {
        for (int i = 0; i < 5; i++) {
            registers.raise(Y, "there", "run-" + i, 7);
        }
        for (int i = 0; i < 2 * RegisterValues.MOST_OF_CLIENTS; i++) {
            registers.raise(new NodeId("c" + i), "here", "c" + i % 3, 1);
        }
        assertThat(all()).contains(entry("run-0", 7), entry("run-4", 7), entry("c0", 1));
        for (int i = 0; i < 2 * RegisterValues.MOST_OF_CLIENTS; i++) {
            registers.raise(new NodeId("c" + i % 9), "here", "d" + i, 1);
        }
        assertThat(all()).contains(entry("run-0", 7), entry("run-4", 7));
    }

    /** It counts where it comes from now. */
    @Test
    void aClientMayComeFromElsewhere() {
        registers.raise(Z, "there", "z", 1);
        registers.raise(Z, "here", "z", 2);
        for (int i = 0; i < RegisterValues.MOST_OF_CLIENTS; i++) {
            registers.raise(new NodeId("c" + i), "there", "c" + i, 1);
        }
        assertThat(registers.value("z")).isEqualTo(OptionalLong.of(2));
        assertThat(registers.value("c0")).isEmpty();
    }

    /** As what it forgets first is what comes first. */
    @Test
    void anotherMemberRemembersWhatMembersHaveRaisedForLonger() {
        registers.raise("m", 1);
        registers.raise(Z, "here", "z", 1);
        assertThat(all()).containsExactly(entry("z", 1), entry("m", 1));
    }

    @Test
    void whatAMemberTellsIsOfTheMembersFromThenOn() {
        registers.raise(Z, "here", "r", 2);
        registers.learn(entry("r", 1));
        for (int i = 0; i <= RegisterValues.MOST_OF_A_CLIENT; i++) {
            registers.raise(Z, "here", "z" + i, 1);
        }
        assertThat(registers.value("r")).isEqualTo(OptionalLong.of(2));
    }
}
