package io.paxoslease.node.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.NodeStartException;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.storage.StorageOptions;
import io.paxoslease.store.Register;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StorageEnvironmentTest {

    private static PaxosLease node(Register register) {
        return PaxosLease.create(PaxosLeaseOptions.builder("wired")
                .algorithm(StorageOptions.builder(register).build())
                .build());
    }

    @Test
    void aStoreThatCannotBeUsedIsToldAtTheStartInItsOwnWords() {
        for (Exception trouble : new Exception[] {
            new IOException("the table is missing, create it"), new IllegalStateException("the table is missing")
        }) {
            PaxosLease node = node(new Unusable(trouble));
            assertThatThrownBy(node::start)
                    .isInstanceOf(NodeStartException.class)
                    .hasMessageContaining("Node 'wired' cannot use a store without tables: the table is missing")
                    .hasMessageContaining("another store")
                    .hasCause(trouble);
            assertThat(Thread.getAllStackTraces().keySet())
                    .as("its threads have ended")
                    .noneMatch(thread -> thread.getName().startsWith("paxoslease-wired") && thread.isAlive());
        }
    }

    private record Unusable(Exception trouble) implements Register {

        @Override
        public void check() throws IOException {
            if (trouble instanceof RuntimeException bug) {
                throw bug;
            }
            throw (IOException) trouble;
        }

        @Override
        public byte @Nullable [] read(String name) {
            throw new AssertionError("never used");
        }

        @Override
        public void write(String name, byte[] content) {
            throw new AssertionError("never used");
        }

        @Override
        public String describe() {
            return "a store without tables";
        }
    }
}
