package io.paxoslease.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class VersionsTest {

    @Test
    void theHighestThatBothSpeakIsAgreedOn() {
        assertThat(new Versions(1, 2).agreedWith(new Versions(1, 2))).isEqualTo(2);
        assertThat(new Versions(1, 2).agreedWith(Versions.only(1))).isEqualTo(1);
        assertThat(new Versions(1, 2).agreedWith(new Versions(2, 9))).isEqualTo(2);
    }

    @Test
    void thoseThatHaveNoneInCommonAreToldToUpgrade() {
        for (Versions one : new Versions[] {new Versions(3, 4), Versions.only(3)}) {
            assertThatExceptionOfType(UnsupportedVersionException.class)
                    .isThrownBy(() -> new Versions(1, 2).agreedWith(one))
                    .withMessage(
                            "wire format %s meets versions 1 to 2: upgrade the node of the older release first, one release at a time",
                            one);
            assertThatExceptionOfType(UnsupportedVersionException.class)
                    .isThrownBy(() -> one.agreedWith(new Versions(1, 2)));
        }
    }

    @Test
    void aRangeHasItsEndsInOrder() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Versions(0, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> new Versions(3, 2));
        assertThatIllegalArgumentException().isThrownBy(() -> new Versions(1, 65_536));
    }
}
