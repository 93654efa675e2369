package io.paxoslease.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads of registers over listings that are not atomic. */
class VersionsWorldTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1,2,read",
                "1 2,read read",
                "1,2,names",
                "1,2,read read:000",
                // One that has seen nothing yet writes late, while two others raise.
                "1,2,3,read:00111111"
            })
    void inEveryOrderOfStepsNoReadGoesBack(String world) {
        VersionsWorld.Result result = new VersionsWorld(world).explore();
        assertThat(result.violation()).isNull();
        assertThat(result.reads()).isGreaterThan(10);
    }

    /** Raises that land late, the same stamp by two clients, and readers beside them. */
    @ParameterizedTest
    @ValueSource(strings = {"1,2,3,read read:00111111", "1,1,2 3,read read:0011", "1,2,3 4,read names"})
    void inRandomOrdersNoReadGoesBack(String world) {
        VersionsWorld.Result result = new VersionsWorld(world).walk(1_500);
        assertThat(result.violation()).isNull();
        assertThat(result.reads()).isGreaterThan(1_000);
    }

    /** A store whose listings are atomic would make this exploration vacuous. */
    @Test
    void thereAreManyOrders() {
        assertThat(new VersionsWorld("1,2,read").explore().states()).isGreaterThan(5_000);
    }
}
