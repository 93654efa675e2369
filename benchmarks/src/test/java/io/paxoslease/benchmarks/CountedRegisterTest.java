package io.paxoslease.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.store.DirectoryRegister;
import io.paxoslease.store.Register;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CountedRegisterTest {

    @TempDir
    private Path directory = Path.of("");

    @Test
    void everyCallThatNamesARegisterIsAnAccess() throws IOException {
        CountedRegister counted = new CountedRegister(new DirectoryRegister(directory));
        Register register = counted.counted();

        register.check();
        assertThat(register.comparesAndSets()).isFalse();
        assertThat(counted.accesses().begun()).isZero();

        register.write("a", new byte[] {1});
        assertThat(register.read("a")).containsExactly(1);
        assertThat(register.read("b")).isNull();
        assertThat(register.names("a")).containsExactly("a");
        assertThat(counted.accesses().begun()).isEqualTo(4);
        assertThat(counted.accesses().ended()).isEqualTo(4);
        assertThat(counted.accesses().nanos()).isPositive();
        assertThat(counted.written()).containsExactly("a");
    }

    @Test
    void anAccessThatFailsEndsAndFailsAsItWouldWithoutCounting() {
        CountedRegister counted = new CountedRegister(new DirectoryRegister(directory.resolve("missing")));
        Register register = counted.counted();

        assertThatThrownBy(() -> register.write("a", new byte[] {1})).isInstanceOf(IOException.class);
        assertThat(counted.accesses().ended()).isEqualTo(1);
    }
}
