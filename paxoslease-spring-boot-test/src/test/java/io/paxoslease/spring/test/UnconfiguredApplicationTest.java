package io.paxoslease.spring.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.PaxosLease;
import io.paxoslease.spring.leader.LeaderElections;
import io.paxoslease.spring.leader.OnLeader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.Configuration;

/** The test that a new project begins with, with the starter added and nothing configured. */
@SpringBootTest(classes = UnconfiguredApplicationTest.App.class)
@ExtendWith(OutputCaptureExtension.class)
class UnconfiguredApplicationTest {

    @Autowired
    private PaxosLease node;

    @Autowired
    private LeaderElections elections;

    @Autowired
    private ConfigurableApplicationContext context;

    @Test
    void contextLoads() {
        assertThat(node.monitor().options().isCellOfOne()).isTrue();
        assertThat(elections.roles()).containsExactly("leader");
    }

    /** Not before the test: the context is made by whichever test comes first. */
    @Test
    void itIsWarnedOf(CapturedOutput output) {
        context.stop();
        context.start();
        assertThat(output).contains("No cell is configured, so node 'local' is a cell of its own in this test");
    }

    @Configuration(proxyBeanMethods = false)
    @SpringBootApplication
    @ComponentScan(useDefaultFilters = false)
    static class App {

        @Bean
        Job job() {
            return new Job();
        }
    }

    static class Job {

        @OnLeader
        void run() {}
    }
}
