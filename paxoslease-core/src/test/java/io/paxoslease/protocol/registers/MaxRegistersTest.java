package io.paxoslease.protocol.registers;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.registers.MaxRegisterMessage.Entry;
import io.paxoslease.protocol.registers.MaxRegisterMessage.KnownRegisters;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MaxRegistersTest {

    private final MaxRegisters registers = new MaxRegisters();

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
        for (int i = 0; i < MaxRegisters.MOST; i++) {
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
        assertThat(all()).hasSize(MaxRegisters.MOST);
    }

    @Test
    void aMessageNamesAtMostOneHundred() {
        assertThat(registers.known()).isEmpty();
        IntStream.range(0, 201).forEach(i -> registers.raise("r" + i, i));
        List<KnownRegisters> messages = registers.known();
        assertThat(messages).extracting(each -> each.registers().size()).containsExactly(100, 100, 1);
        assertThat(all()).hasSize(201).startsWith(entry("r0", 0)).endsWith(entry("r200", 200));
    }
}
