package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.paxoslease.PaxosLease;
import io.paxoslease.election.GuardedCall;
import io.paxoslease.election.Leadership;
import io.paxoslease.spring.autoconfigure.PaxosLeaseTestSupport;
import io.paxoslease.spring.proxy.AnnotationUsageException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.integration.leader.Candidate;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.leader.event.AbstractLeaderEvent;
import org.springframework.integration.leader.event.OnGrantedEvent;
import org.springframework.integration.leader.event.OnRevokedEvent;

/** Whole applications, each a cell of one. */
class LeaderElectionsTest {

    private final ApplicationContextRunner runner =
            PaxosLeaseTestSupport.runner().withUserConfiguration(Jobs.class, Listener.class);

    @Test
    void theRolesOfBeansAreLedAndTheirMethodsRun() {
        runner.run(context -> {
            LeaderElections elections = context.getBean(LeaderElections.class);
            awaitLeader(elections, "leader");
            awaitLeader(elections, "billing");
            assertThat(elections.leaderId("leader")).contains("local");
            assertThat(elections.leadership("billing")).hasValueSatisfying(leadership -> {
                assertThat(leadership.role()).isEqualTo("billing");
                assertThat(leadership.fencingToken()).isPositive();
                assertThat(leadership.remaining()).isPositive();
            });
            assertThat(context.getBean("first", Job.class).run()).isEqualTo("ran");
            assertThat(context.getBean(PaxosLease.class).monitor().status("role:leader"))
                    .isPresent();
        });
    }

    @Test
    void beforeTheElectionsStartNothingIsLed() {
        PaxosLeaseTestSupport.runner()
                .withUserConfiguration(Jobs.class, EagerCaller.class)
                .run(context ->
                        assertThat(context.getBean(EagerCaller.class).result).isNull());
    }

    static Stream<BiConsumer<LeaderElections, String>> questions() {
        return Stream.of(
                LeaderElections::contests,
                LeaderElections::isLeader,
                LeaderElections::leadership,
                LeaderElections::announcedLeadership,
                LeaderElections::leaderId,
                LeaderElections::resign,
                (elections, role) -> elections.enter(role, true),
                (elections, role) -> elections.begin(role, () -> {}));
    }

    /** A misspelt role would be led by no node, silently. */
    @ParameterizedTest
    @MethodSource("questions")
    void aRoleThatNothingNamesIsRefused(BiConsumer<LeaderElections, String> question) {
        runner.run(context -> {
            LeaderElections elections = context.getBean(LeaderElections.class);
            for (int round = 0; round < 2; round++) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> question.accept(elections, "ledaer"))
                        .withMessage("This application does not contest the role 'ledaer', because no bean or property"
                                + " names it. Its roles are [billing, late, leader]");
                context.stop();
            }
        });
    }

    @Test
    void aLocatorRefusesARoleThatNothingNames() {
        runner.run(context -> assertThatIllegalArgumentException()
                .isThrownBy(() -> context.getBean(LeaderLocator.class).find("ledaer")));
    }

    /** Its lease is held until the calls have ended, and the members name this node until then. */
    @Test
    void aLocatorDoesNotNameThisNodeWhenItsLeadershipHasEnded() {
        runner.run(context -> {
            LeaderElections elections = context.getBean(LeaderElections.class);
            LeaderLocator locator = context.getBean(LeaderLocator.class);
            String role = "billing";
            awaitLeader(elections, role);
            assertThat(locator.find(role))
                    .hasValueSatisfying(leader -> assertThat(leader.isLocal()).isTrue());
            LeaderWatches watches = context.getBean(LeaderWatches.class);
            await().until(() -> watches.leader(role).isPresent());
            try (GuardedCall call = elections.enter(role, false).orElseThrow()) {
                elections.resign(role);
                assertThat(call.leadership().isLeader()).isFalse();
                assertThat(watches.leader(role)).as("as the members see it").isPresent();
                assertThat(locator.find(role)).isEmpty();
            }
        });
    }

    /** As where only other instances contest it, and this one asks who leads. */
    @Test
    void aRoleThatOnlyAPropertyNamesIsNotRefused() {
        PaxosLeaseTestSupport.runner()
                .withPropertyValues("paxoslease.roles.billing.eligible=false")
                .run(context -> {
                    assertThat(context.getBean(LeaderElections.class).isLeader("billing"))
                            .isFalse();
                    assertThat(context.getBean(LeaderLocator.class).find("billing"))
                            .isEmpty();
                });
    }

    /** A bean that is created after the question may name it. */
    @Test
    void beforeTheElectionsStartNoRoleIsRefused() {
        PaxosLeaseTestSupport.runner()
                .withUserConfiguration(EarlyQuestion.class)
                .run(context -> {
                    assertThat(context.getBean(EarlyQuestion.class).leads).isFalse();
                    awaitLeader(context.getBean(LeaderElections.class), "early");
                });
    }

    @Test
    void rolesOfBeansThatAreCreatedOnDemandAreContestedFromTheStart() {
        PaxosLeaseTestSupport.runner()
                .withUserConfiguration(OnDemand.class)
                .withPropertyValues("role=of-a-property")
                .run(context -> {
                    LeaderElections elections = context.getBean(LeaderElections.class);
                    for (String role :
                            List.of("of-a-property", "of-a-class", "of-a-factory-method", "of-a-prototype")) {
                        awaitLeader(elections, role);
                    }
                    assertThatIllegalArgumentException().isThrownBy(() -> elections.isLeader("ledaer"));
                });
    }

    @Test
    void eachRoleHasOneElectionWhichPublishesSpringEvents() {
        runner.run(context -> {
            awaitLeader(context.getBean(LeaderElections.class), "leader");
            Listener listener = context.getBean(Listener.class);
            await().until(() -> listener.eventsOf("leader").size() == 1);
            AbstractLeaderEvent granted = listener.eventsOf("leader").get(0);
            assertThat(granted).isInstanceOf(OnGrantedEvent.class);
            assertThat(granted.getSource()).isInstanceOf(PaxosLeaseLeaderInitiator.class);
            assertThat(granted.getContext()).isInstanceOf(LeaderContext.class);

            context.stop();
            assertThat(listener.eventsOf("leader")).hasSize(2);
            assertThat(listener.eventsOf("leader").get(1)).isInstanceOf(OnRevokedEvent.class);
            assertThat(listener.eventsOf("leader").get(1).getContext()).isSameAs(granted.getContext());
        });
    }

    @Test
    void withoutSpringIntegrationTheSameWorksWithoutEvents() {
        PaxosLeaseTestSupport.runner()
                .withUserConfiguration(Jobs.class)
                .withClassLoader(new FilteredClassLoader(Candidate.class))
                .run(context -> {
                    LeaderElections elections = context.getBean(LeaderElections.class);
                    awaitLeader(elections, "leader");
                    assertThat(context.getBean("first", Job.class).run()).isEqualTo("ran");
                    context.stop();
                    assertThat(elections.isLeader("leader")).isFalse();
                    assertThat(context.getBean("first", Job.class).run()).isNull();
                });
    }

    @Test
    void aRoleOfABeanThatIsCreatedLaterIsContestedFromTheStart() {
        runner.run(context -> {
            awaitLeader(context.getBean(LeaderElections.class), "late");
            assertThat(context.getSourceApplicationContext().getBeanFactory().containsSingleton("late"))
                    .isFalse();
        });
    }

    @Test
    void aLeaderThatResignsStopsAtOnceAndMayLeadAgainWithALargerToken() {
        runner.run(context -> {
            LeaderElections elections = context.getBean(LeaderElections.class);
            awaitLeader(elections, "leader");
            Leadership first = elections.leadership("leader").orElseThrow();
            elections.resign("leader");
            assertThat(elections.isLeader("leader")).isFalse();
            assertThat(context.getBean("first", Job.class).run()).isNull();
            assertThat(elections.isLeader("billing")).isTrue();
            awaitLeader(elections, "leader");
            assertThat(elections.leadership("leader").orElseThrow().fencingToken())
                    .isGreaterThan(first.fencingToken());
        });
    }

    @Test
    void afterAStopTheElectionsMayStartAgain() {
        runner.run(context -> {
            LeaderElections elections = context.getBean(LeaderElections.class);
            for (int round = 0; round < 3; round++) {
                awaitLeader(elections, "leader");
                context.stop();
                assertThat(elections.isRunning()).isFalse();
                assertThat(elections.isLeader("leader")).isFalse();
                context.start();
            }
            awaitLeader(elections, "leader");
        });
    }

    @Test
    void anInitiatorOfTheApplicationsOwnIsTheElectionOfItsRole() {
        runner.withUserConfiguration(OwnInitiator.class).run(context -> {
            LeaderElections elections = context.getBean(LeaderElections.class);
            awaitLeader(elections, "leader");
            PaxosLeaseLeaderInitiator own = context.getBean(PaxosLeaseLeaderInitiator.class);
            assertThat(own.isLeader()).isTrue();
            assertThat(own.getContext().fencingToken())
                    .isEqualTo(elections.leadership("leader").orElseThrow().fencingToken());
            Listener listener = context.getBean(Listener.class);
            await().until(() -> listener.eventsOf("leader").size() == 1);
            assertThat(listener.eventsOf("leader").get(0).getSource()).isSameAs(own);
        });
    }

    @Test
    void twoInitiatorsOfOneRoleCompete() {
        PaxosLeaseTestSupport.runner()
                .withUserConfiguration(TwoInitiators.class)
                .run(context -> {
                    PaxosLeaseLeaderInitiator first = context.getBean("first", PaxosLeaseLeaderInitiator.class);
                    PaxosLeaseLeaderInitiator second = context.getBean("second", PaxosLeaseLeaderInitiator.class);
                    await().until(() -> first.isLeader() || second.isLeader());
                    PaxosLeaseLeaderInitiator leader = first.isLeader() ? first : second;
                    PaxosLeaseLeaderInitiator other = first.isLeader() ? second : first;
                    assertThat(other.isRunning()).isTrue();
                    leader.stop();
                    await().until(other::isLeader);
                    assertThat(leader.isRunning()).isFalse();
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoInitiators {

        @Bean
        PaxosLeaseLeaderInitiator first(PaxosLease node) {
            return new PaxosLeaseLeaderInitiator(node, new DefaultCandidate("first", "billing"));
        }

        @Bean
        PaxosLeaseLeaderInitiator second(PaxosLease node) {
            return new PaxosLeaseLeaderInitiator(node, new DefaultCandidate("second", "billing"));
        }
    }

    @Test
    void anInitiatorThatTheApplicationStartsItselfIsNotStartedForIt() {
        runner.withUserConfiguration(OwnInitiator.class)
                .withPropertyValues("own.auto-startup=false")
                .run(context -> {
                    LeaderElections elections = context.getBean(LeaderElections.class);
                    awaitLeader(elections, "billing");
                    PaxosLeaseLeaderInitiator own = context.getBean(PaxosLeaseLeaderInitiator.class);
                    assertThat(own.isRunning()).isFalse();
                    own.start();
                    awaitLeader(elections, "leader");
                });
    }

    /** Its election would be replaced, and other beans would go on using the old one, which never leads. */
    @Test
    void anInitiatorWhoseElectionIsAskedAlreadyIsNotChangedAnyMore() {
        runner.withUserConfiguration(OwnInitiator.class)
                .withPropertyValues("own.auto-startup=false")
                .run(context -> {
                    PaxosLeaseLeaderInitiator own = context.getBean(PaxosLeaseLeaderInitiator.class);
                    assertThatIllegalStateException()
                            .isThrownBy(() -> own.setPublishFailedEvents(true))
                            .withMessageContaining("where the bean is created");
                    own.start();
                    awaitLeader(context.getBean(LeaderElections.class), "leader");
                });
    }

    /** Its settings would be those of another role, which no bean uses. */
    @Test
    void aRoleWhosePropertiesLackBracketsStopsTheApplication() {
        ApplicationContextRunner nightly = PaxosLeaseTestSupport.runner().withBean(Nightly.class);
        nightly.withPropertyValues("paxoslease.roles.reports/nightly.eligible=false")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(AnnotationUsageException.class)
                        .hasMessageContaining("role 'reports/nightly'")
                        .hasMessageContaining(
                                "Set paxoslease.roles.[reports/nightly] instead of paxoslease.roles.reportsnightly"));
        nightly.withPropertyValues("paxoslease.roles.[reports/nightly].eligible=false")
                .run(context -> assertThat(
                                context.getBean(LeaderElections.class).contests("reports/nightly"))
                        .isFalse());
    }

    @Test
    void aRoleThatIsTooLongStopsTheApplication() {
        PaxosLeaseTestSupport.runner()
                .withBean(LongRole.class)
                .withPropertyValues("long.role=" + "r".repeat(300))
                .run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining("255 bytes"));
    }

    private static void awaitLeader(LeaderElections elections, String role) {
        await().until(() -> elections.isLeader(role));
    }

    @Configuration(proxyBeanMethods = false)
    static class Jobs {

        @Bean
        Job first() {
            return new Job();
        }

        @Bean
        Job second() {
            return new Job();
        }

        @Bean
        BillingJob billing() {
            return new BillingJob();
        }

        @Bean
        @Lazy
        LateJob late() {
            return new LateJob();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class EarlyQuestion {

        final boolean leads;

        EarlyQuestion(LeaderElections elections) {
            leads = elections.isLeader("early");
        }

        @Bean
        EarlyJob job() {
            return new EarlyJob();
        }
    }

    static class EarlyJob {
        @OnLeader("early")
        public void run() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class OnDemand {

        @Bean
        @Lazy
        PropertyJob ofAProperty() {
            return new PropertyJob();
        }

        @Bean
        @Lazy
        ClassJob ofAClass() {
            return new ClassJob();
        }

        @Bean
        @Lazy
        @OnLeader("of-a-factory-method")
        SwitchedBean ofAFactoryMethod() {
            return new SwitchedBean();
        }

        @Bean
        @Scope("prototype")
        PrototypeJob ofAPrototype() {
            return new PrototypeJob();
        }
    }

    static class PropertyJob {
        @OnLeader("${role}")
        public void run() {}
    }

    @OnLeader("of-a-class")
    static class ClassJob {
        public void run() {}
    }

    static class PrototypeJob {
        @OnLeader("of-a-prototype")
        public void run() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnInitiator {
        @Bean
        PaxosLeaseLeaderInitiator initiator(PaxosLease node, Environment environment) {
            PaxosLeaseLeaderInitiator initiator = new PaxosLeaseLeaderInitiator(node, new RecordingCandidate("leader"));
            initiator.setAutoStartup(environment.getProperty("own.auto-startup", Boolean.class, true));
            return initiator;
        }
    }

    /** Public, for the context whose class loader is another one. */
    public static class Job {
        @OnLeader
        public @Nullable String run() {
            return "ran";
        }
    }

    public static class BillingJob {
        @OnLeader("billing")
        public void run() {}
    }

    public static class LateJob {
        @OnLeader("late")
        public void run() {}
    }

    static class LongRole {
        @OnLeader("${long.role}")
        void run() {}
    }

    static class EagerCaller {

        final @Nullable String result;

        EagerCaller(Job first) {
            this.result = first.run();
        }
    }

    static class Listener {

        private final List<AbstractLeaderEvent> events = new CopyOnWriteArrayList<>();

        @EventListener
        void on(AbstractLeaderEvent event) {
            events.add(event);
        }

        List<AbstractLeaderEvent> eventsOf(String role) {
            return events.stream().filter(event -> role.equals(event.getRole())).toList();
        }
    }

    static class Nightly {
        @OnLeader("reports/nightly")
        public void run() {}
    }
}
