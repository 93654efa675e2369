package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.paxoslease.PaxosLease;
import io.paxoslease.spring.autoconfigure.PaxosLeaseTestSupport;
import io.paxoslease.spring.proxy.AnnotationUsageException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.leader.DefaultCandidate;

/** A context and its child, which are both configured automatically. */
class OnLeaderHierarchyTest {

    @Test
    void methodsInAChildAreGuarded() {
        PaxosLeaseTestSupport.runner().withBean(Job.class).run(parent -> {
            try (ConfigurableApplicationContext child = childOf(parent.getSourceApplicationContext(), Job.class)) {
                LeaderElections elections = child.getBean(LeaderElections.class);
                await().until(() -> elections.isLeader("leader"));
                assertThat(child.getBean(Job.class).work()).isEqualTo("worked");
                elections.stop();
                assertThat(child.getBean(Job.class).work()).isNull();
            }
        });
    }

    @Test
    void whatLivesAsLongAsALeadershipIsRefusedInAChild() {
        PaxosLeaseTestSupport.runner().run(parent -> {
            assertThatThrownBy(() -> childOf(parent.getSourceApplicationContext(), Listener.class))
                    .rootCause()
                    .isInstanceOf(AnnotationUsageException.class)
                    .hasMessageContaining("Listener.granted() belongs to a child of the application context");
            assertThatThrownBy(() -> childOf(parent.getSourceApplicationContext(), Consumer.class))
                    .rootCause()
                    .isInstanceOf(AnnotationUsageException.class)
                    .hasMessageContaining("but it belongs to a child of the application context")
                    .hasMessageContaining("Move it to the parent context");
        });
    }

    /** The parent's elections would not find it, and contest its role beside it. */
    @Test
    void anInitiatorIsRefusedInAChild() {
        PaxosLeaseTestSupport.runner().run(parent -> {
            ConfigurableApplicationContext context = parent.getSourceApplicationContext();
            assertThatThrownBy(() -> childOf(context, Initiator.class))
                    .rootCause()
                    .isInstanceOf(AnnotationUsageException.class)
                    .hasMessageContaining("role 'mail\\u000a' belongs to a child of the application context");
            assertThatThrownBy(() -> childOf(context, Initiator.class, false))
                    .as("not configured automatically")
                    .rootCause()
                    .isInstanceOf(AnnotationUsageException.class);
            assertThat(parent.getBean(LeaderElections.class).roles()).isEmpty();
        });
    }

    @Test
    void theEndOfAChildLeavesTheParentsNodeAndItsLeaderships() {
        PaxosLeaseTestSupport.runner().withBean(Job.class).run(parent -> {
            LeaderElections elections = parent.getBean(LeaderElections.class);
            await().until(() -> elections.isLeader("leader"));
            long token = elections.leadership("leader").orElseThrow().fencingToken();

            childOf(parent.getSourceApplicationContext(), Job.class).close();
            assertThatThrownBy(() -> childOf(parent.getSourceApplicationContext(), Broken.class))
                    .hasRootCauseMessage("planned");

            assertThat(parent.getBean(PaxosLease.class).monitor().isRunning()).isTrue();
            assertThat(elections.leadership("leader").orElseThrow().fencingToken())
                    .isEqualTo(token);
        });
    }

    private static ConfigurableApplicationContext childOf(ConfigurableApplicationContext parent, Class<?> bean) {
        return childOf(parent, bean, true);
    }

    private static ConfigurableApplicationContext childOf(
            ConfigurableApplicationContext parent, Class<?> bean, boolean configuredAutomatically) {
        AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext();
        child.setParent(parent);
        if (configuredAutomatically) {
            child.register(PaxosLeaseTestSupport.autoConfigurations());
        }
        child.register(bean);
        child.refresh();
        return child;
    }

    static class Broken extends SwitchedBean implements SmartLifecycle {
        @Override
        public void start() {
            throw new IllegalStateException("planned");
        }
    }

    static class Job {
        @OnLeader
        public @Nullable String work() {
            return "worked";
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Initiator {

        @Bean
        PaxosLeaseLeaderInitiator mail(PaxosLease node) {
            return new PaxosLeaseLeaderInitiator(node, new DefaultCandidate("any", "mail\n"));
        }
    }

    static class Listener {

        @OnGranted
        void granted() {}
    }

    @OnLeader
    static class Consumer extends SwitchedBean implements SmartLifecycle {}
}
