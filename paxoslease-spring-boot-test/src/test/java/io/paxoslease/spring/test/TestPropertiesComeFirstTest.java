package io.paxoslease.spring.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.PaxosLease;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** A test that says what the cell is makes no standalone node, not even if it says so last. */
@SpringBootTest(classes = UnconfiguredApplicationTest.App.class, properties = "paxoslease.mode=client")
class TestPropertiesComeFirstTest {

    @Autowired
    private PaxosLease node;

    @DynamicPropertySource
    static void members(DynamicPropertyRegistry registry) {
        registry.add("paxoslease.contact-points", () -> "127.0.0.1:1");
    }

    @Test
    void contextLoads() {
        assertThat(node.monitor().options().isClient()).isTrue();
    }
}
