package io.paxoslease.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.paxoslease.InvalidOptionException;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.spring.leader.LeaderElections;
import io.paxoslease.spring.leader.OnLeader;
import io.paxoslease.spring.leader.PaxosLeaseLeaderAutoConfiguration;
import io.paxoslease.spring.lock.PaxosLeaseLockRegistry;
import io.paxoslease.spring.proxy.AnnotationUsageException;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.PriorityOrdered;
import org.springframework.core.annotation.Order;
import org.springframework.integration.leader.Candidate;
import org.springframework.integration.support.locks.DefaultLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;

@ExtendWith(OutputCaptureExtension.class)
class PaxosLeaseAutoConfigurationTest {

    private static final String EXPOSE_ENDPOINT = "management.endpoints.web.exposure.include=leases";
    private static final String EXPOSE_OVER_JMX = "management.endpoints.jmx.exposure.include=leases";

    private final ApplicationContextRunner runner = PaxosLeaseTestSupport.runner()
            .withPropertyValues(EXPOSE_ENDPOINT, "spring.jmx.enabled=true", EXPOSE_OVER_JMX);

    @Test
    void everythingIsThereByDefaultAndTheNodeRuns() {
        runner.run(context -> {
            assertThat(context)
                    .hasSingleBean(PaxosLease.class)
                    .hasSingleBean(LeaderElections.class)
                    .hasBean("onLeaderPostProcessor")
                    .hasBean("initiatorElectionFactory")
                    .hasSingleBean(PaxosLeaseLockRegistry.class)
                    .hasBean("leasesEndpoint");
            assertThat(context.getBean(PaxosLease.class).monitor().isRunning()).isTrue();
        });
    }

    @Test
    void withoutPeersItIsACellOfOneAndSaysSoOnce(CapturedOutput output) {
        runner.run(context -> {
            assertThat(context.getBean(PaxosLease.class).monitor().status().state())
                    .isEqualTo(NodeStatus.State.SERVING);
            assertThat(output).containsOnlyOnce("Node 'local' is a cell of one").containsOnlyOnce("(nodeId and peers)");
        });
    }

    @Test
    void peersThatAreIgnoredAreWarnedOf(CapturedOutput output) {
        runner.withPropertyValues(
                        "paxoslease.node-id=a", "paxoslease.peers.a=127.0.0.1:1", "paxoslease.peers.b=127.0.0.1:2")
                .run(context -> assertThat(output)
                        .containsOnlyOnce("paxoslease.peers is ignored, because paxoslease.standalone is true"));
    }

    @Test
    void anEvenNumberOfPeersStartsWithAWarning(CapturedOutput output) {
        runner.withPropertyValues(new TestCell(2).propertiesOf("n1"))
                .run(context -> assertThat(output.getOut().lines())
                        .anyMatch(line -> line.contains("WARN") && line.contains("With 2 members none may fail")));
    }

    @Test
    void theNodeStopsWithTheContext() {
        runner.run(context -> {
            PaxosLease node = context.getBean(PaxosLease.class);
            context.close();
            assertThat(node.monitor().isRunning()).isFalse();
        });
    }

    @Test
    void theContextMayStopAndStartAgainAndAgain() {
        runner.withPropertyValues(new TestCell(1).propertiesOf("n1")).run(context -> {
            PaxosLease node = context.getBean(PaxosLease.class);
            for (int round = 0; round < 3; round++) {
                context.stop();
                assertThat(node.monitor().isRunning()).isFalse();
                context.start();
                assertThat(node.monitor().isRunning()).isTrue();
            }
        });
    }

    @Test
    void theNodeStartsBeforeAndStopsAfterWhatUsesLeases() {
        runner.run(context -> {
            assertThat(context.getBean(PaxosLeaseLifecycle.class).getPhase())
                    .isLessThan(context.getBean(LeaderElections.class).getPhase())
                    .isLessThan(Integer.MAX_VALUE / 2);
            assertThat(context.getBean(LeaderElections.class).getPhase())
                    .isLessThan(WebServerApplicationContext.START_STOP_LIFECYCLE_PHASE)
                    .isGreaterThan(ExecutorConfigurationSupport.DEFAULT_PHASE)
                    .isEqualTo(2147480575); // as the description of paxoslease.phase says
        });
    }

    @Test
    void aNodeOfTheApplicationsOwnTakesItsPlaceAndIsStartedToo() {
        PaxosLease own = PaxosLease.create(PaxosLeaseOptions.builder("own").build());
        runner.withBean("own", PaxosLease.class, () -> own).run(context -> {
            assertThat(context).getBean(PaxosLease.class).isSameAs(own);
            assertThat(own.monitor().isRunning()).isTrue();
        });
    }

    @Test
    void aLockRegistryOfTheApplicationsOwnTakesItsPlace() {
        runner.withBean(DefaultLockRegistry.class).run(context -> assertThat(context)
                .hasSingleBean(LockRegistry.class)
                .doesNotHaveBean(PaxosLeaseLockRegistry.class));
    }

    @Test
    void switchedOffItLeavesNothingButTheRefusal() {
        runner.withPropertyValues("paxoslease.enabled=false").run(context -> assertThat(context)
                .hasNotFailed()
                .hasBean("onLeaderRefusal")
                .doesNotHaveBean(PaxosLease.class)
                .doesNotHaveBean(LeaderElections.class)
                .doesNotHaveBean("initiatorElectionFactory")
                .doesNotHaveBean(LockRegistry.class)
                .doesNotHaveBean("leasesEndpoint"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"false", "no", "off"})
    void switchedOffABeanWithAnOnLeaderMethodStopsTheApplication(String value) {
        runner.withPropertyValues("paxoslease.enabled=" + value)
                .withBean(Job.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(AnnotationUsageException.class)
                        .hasMessageContaining("leader election is off"));
    }

    @Test
    void aBeanThatIsMadeTooEarlyToBeGuardedStopsTheApplication() {
        runner.withBean(Job.class).withUserConfiguration(TooEarly.class).run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .isInstanceOf(AnnotationUsageException.class)
                .hasMessageContaining("the bean is created before it can be guarded")
                .hasMessageContaining("Find the BeanFactoryPostProcessor or BeanPostProcessor that needs the bean"));
    }

    @Test
    void withoutANodeABeanWithAnOnLeaderMethodStopsTheApplication() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        PaxosLeaseLeaderAutoConfiguration.class,
                        PaxosLeaseTestSupport.autoConfiguration("leader.OnLeaderRefusal")))
                .withBean(Job.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(NoSuchBeanDefinitionException.class)
                        .hasMessageContaining("PaxosLease"));
    }

    @Test
    void withoutANodeAnApplicationThatNeedsNoneStarts() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        PaxosLeaseLeaderAutoConfiguration.class,
                        PaxosLeaseTestSupport.autoConfiguration("leader.OnLeaderRefusal")))
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void customizersChangeTheOptionsAfterThePropertiesAndInTheirOrder() {
        runner.withPropertyValues("paxoslease.lease-time=2s", "paxoslease.cell=shop")
                .withUserConfiguration(Customizers.class)
                .run(context -> {
                    PaxosLeaseOptions options =
                            context.getBean(PaxosLease.class).monitor().options();
                    assertThat(options.leaseTime()).isEqualTo(Duration.ofMillis(1500));
                    assertThat(options.cell()).isEqualTo("second");
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class Customizers {

        @Bean
        @Order(2)
        PaxosLeaseOptionsCustomizer second() {
            return options -> options.cell("second");
        }

        @Bean
        @Order(1)
        PaxosLeaseOptionsCustomizer first() {
            return options -> options.cell("first").leaseTime(Duration.ofMillis(1500));
        }
    }

    @Test
    void withoutLockRegistriesOnTheClassPathThereIsNone() {
        runner.withClassLoader(new FilteredClassLoader(LockRegistry.class)).run(context -> assertThat(context)
                .hasNotFailed()
                .doesNotHaveBean("paxosLeaseLockRegistry")
                .hasSingleBean(LeaderElections.class));
    }

    @Test
    void withoutCandidatesOnTheClassPathElectionsPublishNoEvents() {
        runner.withClassLoader(new FilteredClassLoader(Candidate.class)).run(context -> assertThat(context)
                .hasNotFailed()
                .doesNotHaveBean("initiatorElectionFactory")
                .hasSingleBean(LeaderElections.class)
                .hasBean("onLeaderPostProcessor"));
    }

    @ParameterizedTest
    @ValueSource(classes = {Endpoint.class, ConditionalOnAvailableEndpoint.class})
    void withoutActuatorOnTheClassPathThereIsNoEndpoint(Class<?> marker) {
        runner.withClassLoader(new FilteredClassLoader(marker)).run(context -> assertThat(context)
                .hasNotFailed()
                .doesNotHaveBean("leasesEndpoint")
                .hasSingleBean(PaxosLease.class));
    }

    @Test
    void anEndpointThatIsNotExposedIsNotMade() {
        PaxosLeaseTestSupport.runner().run(context -> assertThat(context).doesNotHaveBean("leasesEndpoint"));
    }

    @Test
    void bootsExecutorsStayInPlace() {
        runner.withConfiguration(AutoConfigurations.of(
                        TaskExecutionAutoConfiguration.class, TaskSchedulingAutoConfiguration.class))
                .withUserConfiguration(Scheduling.class)
                .run(context -> assertThat(context)
                        .hasBean("applicationTaskExecutor")
                        .hasBean("taskScheduler")
                        .doesNotHaveBean(ScheduledExecutorService.class));
    }

    @Test
    void aWrongPropertyStopsTheApplication() {
        runner.withPropertyValues("paxoslease.lease-time=10s", "paxoslease.max-lease-time=5s")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("Property paxoslease.lease-time with value 'PT10S' is invalid")
                        .rootCause()
                        .isInstanceOf(InvalidOptionException.class));
    }

    @Test
    void mocksOfBeansWithOnLeaderMethodsAreNoObstacle() {
        Job mock = mock(Job.class);
        runner.withInitializer(context -> context.getBeanFactory().registerSingleton("job", mock))
                .run(context -> assertThat(context).getBean(Job.class).isSameAs(mock));
    }

    static class Job {
        @OnLeader
        void run() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class TooEarly {
        @Bean
        static EarlyPostProcessor early(Job job) {
            return new EarlyPostProcessor(job);
        }
    }

    /** @param job makes the container create that bean before the other post-processors */
    record EarlyPostProcessor(Job job) implements BeanPostProcessor, PriorityOrdered {
        @Override
        public int getOrder() {
            return 0;
        }
    }

    @EnableScheduling
    static class Scheduling {}
}
