package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.paxoslease.PaxosLease;
import io.paxoslease.spring.autoconfigure.PaxosLeaseTestSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

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
                    .isInstanceOf(OnLeaderUsageException.class)
                    .hasMessageContaining("Listener.granted() belongs to a child of the application context");
            assertThatThrownBy(() -> childOf(parent.getSourceApplicationContext(), Consumer.class))
                    .rootCause()
                    .isInstanceOf(OnLeaderUsageException.class)
                    .hasMessageContaining("but it belongs to a child of the application context")
                    .hasMessageContaining("Move it to the parent context");
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

            assertThat(parent.getBean(PaxosLease.class).isRunning()).isTrue();
            assertThat(elections.leadership("leader").orElseThrow().fencingToken())
                    .isEqualTo(token);
        });
    }

    private static ConfigurableApplicationContext childOf(ConfigurableApplicationContext parent, Class<?> bean) {
        AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext();
        child.setParent(parent);
        child.register(PaxosLeaseTestSupport.autoConfigurations());
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

    static class Listener {

        @OnGranted
        void granted() {}
    }

    @OnLeader
    static class Consumer extends SwitchedBean implements SmartLifecycle {}
}
