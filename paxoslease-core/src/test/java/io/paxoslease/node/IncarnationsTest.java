package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.SecureRandom;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class IncarnationsTest {

    /** As two processes that are restored from one image find it. */
    private static final class Restored extends SecureRandom {

        private static final long serialVersionUID = 1;

        @Override
        public void nextBytes(byte[] bytes) {
            Arrays.fill(bytes, (byte) 7);
        }

        @Override
        public long nextLong() {
            return 7;
        }
    }

    @Test
    void processesThatAreRestoredFromOneImageDrawDifferentIncarnations() {
        assertThat(new Incarnations(new Restored()).get()).isNotEqualTo(new Incarnations(new Restored()).get());
    }

    @Test
    void eachDrawIsAnother() {
        Incarnations incarnations = new Incarnations();
        assertThat(incarnations.get()).isNotEqualTo(incarnations.get());
    }
}
