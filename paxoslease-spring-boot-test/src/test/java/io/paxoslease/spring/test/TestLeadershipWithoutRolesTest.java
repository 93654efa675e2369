package io.paxoslease.spring.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.paxoslease.spring.lock.PaxosLeaseLockRegistry;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;

/** An application that uses locks only. */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE)
@AutoConfigureTestLeadership
class TestLeadershipWithoutRolesTest {

    @Autowired
    private TestLeadership leadership;

    @Autowired
    private PaxosLeaseLockRegistry locks;

    @Test
    void locksWorkAndNothingHasToBeRevoked() throws Exception {
        assertThat(locks.<String, Exception>executeLocked("stock", () -> "locked"))
                .isEqualTo("locked");
        leadership.reset();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> leadership.grant())
                .withMessageContaining("no bean or property names it")
                .withMessageContaining("Its roles are []");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class App {}
}
