package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.election.NotLeaderException;
import io.paxoslease.spring.proxy.AnnotationUsageException;
import jakarta.annotation.PostConstruct;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.integration.leader.event.OnRevokedEvent;

/** The annotation on the class of a bean without a lifecycle. */
class OnLeaderClassTest {

    private final StubbedElections elections = new StubbedElections();

    @AfterEach
    void stop() {
        elections.stop();
    }

    private <T> T bean(Class<T> type) {
        AnnotationConfigApplicationContext context = elections.context(type);
        context.refresh();
        return context.getBean(type);
    }

    @Test
    void everyMethodOfTheClassIsForTheLeader() {
        Reports reports = bean(Reports.class);
        reports.send();
        reports.sendPackagePrivate();
        reports.sendProtected();
        assertThat(reports.log()).isEmpty();
        elections.lead("reports");
        reports.send();
        reports.sendPackagePrivate();
        reports.sendProtected();
        assertThat(reports.log()).containsExactly("afterPropertiesSet", "public", "package-private", "protected");
        assertThat(elections.found).contains("reports");
    }

    @Test
    void anAnnotationOnAMethodWins() {
        Reports reports = bean(Reports.class);
        elections.lead("reports");
        assertThat(reports.other()).isNull();
        elections.lead("other");
        assertThat(reports.other()).isEqualTo("other");
        assertThat(elections.found).containsExactlyInAnyOrder("reports", "other");
    }

    @Test
    void methodsOfObjectAndCallbacksAndLeaderEventsAreExempt() {
        Exempt bean = bean(Exempt.class);
        assertThat(bean.toString()).isEqualTo("exempt");
        bean.afterPropertiesSet();
        bean.destroy();
        bean.construct();
        bean.onRevoked();
        bean.granted();
        bean.integration(new OnRevokedEvent(this, new ElectionContext(elections.lead("leader"), null), "leader"));
        elections.stop();
        assertThat(elections.askedBy).isEmpty();
        bean.work();
        assertThat(elections.askedBy).hasSize(1);
    }

    @Test
    void anAnnotationOnASuperclassOrAnInterfaceCounts() {
        Inheriting bean = bean(Inheriting.class);
        bean.run();
        bean.send();
        assertThat(elections.calls).containsExactly("refused", "refused");
        assertThat(elections.found).containsExactlyInAnyOrder("reports", "other");
        Implementing other = bean(Implementing.class);
        other.run();
        assertThat(elections.calls).hasSize(3);
    }

    @Test
    void aClassMayFailInsteadOfSkipping() {
        assertThatThrownBy(bean(Failing.class)::count).isInstanceOf(NotLeaderException.class);
    }

    @Test
    void whatCannotBeGuardedIsRefused() {
        assertRefused(Primitive.class, "Primitive.size() returns int");
        assertRefused(FinalMethod.class, "FinalMethod.work() is final");
        assertRefused(Settings.class, "Settings is a @Configuration class, whose beans a follower needs as well.");
        assertRefused(Nothing.class, "Nothing has no method that can be guarded.");
        assertRefused(RevokedOnly.class, "RevokedOnly.flush() is notified of the beginning and the end of leadership");
    }

    private void assertRefused(Class<?> type, String reason) {
        assertThatThrownBy(() -> bean(type))
                .rootCause()
                .isInstanceOf(AnnotationUsageException.class)
                .hasMessageContaining(reason);
    }

    @OnLeader("reports")
    static class Reports implements InitializingBean {

        private final List<String> log = new ArrayList<>();

        public List<String> log() {
            return log;
        }

        @Override
        public void afterPropertiesSet() {
            log.add("afterPropertiesSet");
        }

        public void send() {
            log.add("public");
        }

        void sendPackagePrivate() {
            log.add("package-private");
        }

        protected void sendProtected() {
            log.add("protected");
        }

        @OnLeader("other")
        public String other() {
            return "other";
        }
    }

    @OnLeader
    static class Exempt implements InitializingBean, DisposableBean {

        @Override
        public void afterPropertiesSet() {}

        @Override
        public void destroy() {}

        @PostConstruct
        public void construct() {}

        @OnRevoked
        public void onRevoked() {}

        @EventListener
        public void integration(OnRevokedEvent event) {}

        @EventListener(LeadershipGrantedEvent.class)
        public void granted() {}

        public void work() {}

        @Override
        public String toString() {
            return "exempt";
        }
    }

    static class Inheriting extends Reports {
        public void run() {}
    }

    @OnLeader("of interface")
    interface Work {
        void run();
    }

    static class Implementing implements Work {
        @Override
        public void run() {}
    }

    @OnLeader(otherwise = OnLeader.Otherwise.FAIL)
    static class Failing {
        public int count() {
            return 1;
        }
    }

    @OnLeader
    static class Primitive {
        public int size() {
            return 0;
        }
    }

    @OnLeader
    static class FinalMethod {
        public final void work() {}
    }

    @OnLeader
    @Configuration(proxyBeanMethods = false)
    static class Settings {
        @Bean
        String text() {
            return "text";
        }
    }

    @OnLeader
    static class Nothing {
        private static final String CONSTANT = "constant";

        public static String constant() {
            return CONSTANT;
        }
    }

    static class RevokedOnly {
        @OnLeader
        @OnRevoked
        public void flush() {}
    }
}
