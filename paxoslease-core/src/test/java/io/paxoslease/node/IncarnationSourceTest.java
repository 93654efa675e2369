package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.SecureRandom;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class IncarnationSourceTest {

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
        assertThat(new IncarnationSource(new Restored()).get())
                .isNotEqualTo(new IncarnationSource(new Restored()).get());
    }

    @Test
    void eachDrawIsAnother() {
        IncarnationSource incarnations = new IncarnationSource();
        assertThat(incarnations.get()).isNotEqualTo(incarnations.get());
    }
}
