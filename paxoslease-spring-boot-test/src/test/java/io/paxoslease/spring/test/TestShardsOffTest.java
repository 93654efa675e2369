package io.paxoslease.spring.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.paxoslease.spring.shards.ShardGroups;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;

/** An application that has switched leases off, as some do in their tests. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.NONE,
        properties = {"paxoslease.enabled=false", "paxoslease.shards.invoices.count=3"})
@AutoConfigureTestLeadership
class TestShardsOffTest {

    @Autowired
    private TestShards shards;

    @Autowired
    private ObjectProvider<ShardGroups> groups;

    @Test
    void aGrantSaysHowToSwitchThemOn() {
        assertThat(groups.getIfAvailable()).isNull();
        shards.reset();
        assertThatIllegalStateException()
                .isThrownBy(() -> shards.grant("invoices", 1))
                .withMessageStartingWith("Shards are off in this test: set paxoslease.enabled=true");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class App {}
}
