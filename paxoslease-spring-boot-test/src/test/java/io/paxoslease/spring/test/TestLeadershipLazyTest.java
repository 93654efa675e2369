package io.paxoslease.spring.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.verify;

import io.paxoslease.PaxosLease;
import io.paxoslease.spring.leader.LeaderElections;
import io.paxoslease.spring.leader.OnLeader;
import io.paxoslease.spring.lock.PaxosLeaseLockRegistry;
import io.paxoslease.testing.InMemoryCell;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

/** The test support with lazy initialization: beans are created when the test needs them. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.NONE,
        properties = "spring.main.lazy-initialization=true")
@AutoConfigureTestLeadership
class TestLeadershipLazyTest {

    @Autowired
    private ApplicationContext context;

    @MockitoBean
    private Mailer mailer;

    /** Before there is a {@link TestLeadership}, in whatever order the methods run. */
    @Test
    void nothingIsLedUntilTheTestGrantsIt() {
        LeaderElections elections = context.getBean(LeaderElections.class);
        assertThat(elections.roles()).contains("leader", "consumer");
        context.getBean(InMemoryCell.class).advance(Duration.ofHours(1));
        assertThat(elections.isLeader("leader")).isFalse();
        assertThat(context.getBean(Consumer.class).isRunning()).isFalse();
    }

    @Test
    void whatIsGrantedIsLed() throws Exception {
        TestLeadership leadership = context.getBean(TestLeadership.class);
        leadership.grant("leader", "consumer");
        assertThat(context.getBean(Job.class).run()).isEqualTo("ran");
        assertThat(context.getBean(Consumer.class).isRunning()).isTrue();
        assertThat(context.getBean(PaxosLeaseLockRegistry.class).executeLocked("k", () -> "locked"))
                .isEqualTo("locked");
        assertThat(context.getBean(PaxosLease.class).monitor().isRunning()).isTrue();
        leadership.revoke("leader");
        assertThat(context.getBean(Job.class).run()).isNull();
    }

    /** It takes the place of a bean with the annotation, and is not guarded. */
    @Test
    void aMockIsAccepted() {
        mailer.send();
        verify(mailer).send();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class App {

        @Bean
        Job job() {
            return new Job();
        }

        @Bean
        Mailer mailer() {
            return new Mailer();
        }

        @Bean
        Consumer consumer() {
            return new Consumer();
        }
    }

    static class Job {
        @OnLeader
        @Nullable
        String run() {
            return "ran";
        }
    }

    static class Mailer {
        @OnLeader
        void send() {}
    }

    @OnLeader("consumer")
    static class Consumer implements SmartLifecycle {

        private volatile boolean running;

        @Override
        public void start() {
            running = true;
        }

        @Override
        public void stop() {
            running = false;
        }

        @Override
        public boolean isRunning() {
            return running;
        }
    }
}
