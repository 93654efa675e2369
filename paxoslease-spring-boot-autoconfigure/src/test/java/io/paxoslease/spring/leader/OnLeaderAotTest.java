package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.paxoslease.spring.autoconfigure.PaxosLeaseTestSupport;
import io.paxoslease.spring.proxy.AnnotationUsageException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.AopUtils;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;
import org.springframework.test.context.support.TestPropertySourceUtils;

/**
 * Applications that are processed ahead of time: the generated code creates the same beans, guarded in the same way.
 */
@Tag("slow")
@Tag("jdk")
@CompileWithForkedClassLoader
class OnLeaderAotTest {

    private static final String STANDALONE = "paxoslease.standalone=true";

    @Test
    void methodsAreGuardedUnderTheRolesOfTheRunningApplication() {
        run(Application.class, List.of("app.tenant=7", "paxoslease.roles.reports.eligible=false"), context -> {
            LeaderElections elections = context.getBean(LeaderElections.class);
            assertThat(elections.roles()).containsExactly("billing", "leader", "reports", "shop-7");
            await().until(() -> elections.isLeader("shop-7"));
            assertThat(context.getBean(Jobs.class).work()).isEqualTo("worked");
            assertThat(context.getBean(Reports.class).work()).isNull();
            assertThat(AopUtils.isAopProxy(context.getBean(Reports.class))).isTrue();
            elections.stop();
            assertThat(context.getBean(Jobs.class).work()).isNull();
        });
    }

    @Test
    void lifecycleBeansAreManagedAndListenersAreTold() {
        run(Application.class, List.of("app.tenant=7"), context -> {
            List<String> log = context.getBean(Application.class).log;
            await().until(() -> log.size() == 3);
            LeaderElections elections = context.getBean(LeaderElections.class);
            elections.stop();
            assertThat(log)
                    .containsSubsequence("by method started", "billing granted", "by method stopped", "billing revoked")
                    .containsSubsequence("by class started", "by class stopped");
            context.getBean(ByClass.class).start();
            context.getBean("byMethod", ByMethod.class).start();
            assertThat(log).hasSize(6);
        });
    }

    @Test
    void misuseStopsTheBuild() {
        assertThatThrownBy(() -> run(Misuse.class, List.of(), context -> {}))
                .isInstanceOf(AnnotationUsageException.class)
                .hasMessageContaining("returns int");
    }

    @Test
    void whereTheBuildLeftTheElectionsOutTheApplicationStops() {
        assertThatThrownBy(() ->
                        run(Application.class, List.of("app.tenant=7", "paxoslease.enabled=false"), context -> {}))
                .rootCause()
                .isInstanceOf(AnnotationUsageException.class)
                .hasMessageContaining("leader election is off");
    }

    /** Processes it without the properties that only the running application has, and runs the generated code. */
    private static void run(Class<?> application, List<String> properties, Consumer<GenericApplicationContext> test) {
        TestGenerationContext generation = new TestGenerationContext();
        try (AnnotationConfigApplicationContext source = new AnnotationConfigApplicationContext()) {
            List<String> known = properties.stream()
                    .filter(each -> each.startsWith("paxoslease.enabled"))
                    .toList();
            TestPropertySourceUtils.addInlinedPropertiesToEnvironment(source, known.toArray(String[]::new));
            source.register(PaxosLeaseTestSupport.autoConfigurations());
            source.register(application);
            new ApplicationContextAotGenerator().processAheadOfTime(source, generation);
        }
        generation.writeGeneratedContent();
        TestCompiler.forSystem().with(generation).compile(compiled -> {
            try (GenericApplicationContext context = new GenericApplicationContext()) {
                TestPropertySourceUtils.addInlinedPropertiesToEnvironment(context, STANDALONE);
                TestPropertySourceUtils.addInlinedPropertiesToEnvironment(context, properties.toArray(String[]::new));
                initializer(compiled.getInstance(ApplicationContextInitializer.class))
                        .initialize(context);
                context.refresh();
                test.accept(context);
            }
        });
    }

    @SuppressWarnings("unchecked") // generated for this type
    private static ApplicationContextInitializer<GenericApplicationContext> initializer(
            ApplicationContextInitializer<?> generated) {
        return (ApplicationContextInitializer<GenericApplicationContext>) generated;
    }

    @Configuration(proxyBeanMethods = false)
    static class Application {

        final List<String> log = new CopyOnWriteArrayList<>();

        @Bean
        Jobs jobs() {
            return new Jobs();
        }

        @Bean
        Reports reports() {
            return new Reports();
        }

        @Bean
        ByClass byClass() {
            return new ByClass(log);
        }

        @Bean
        @OnLeader("billing")
        ByMethod byMethod() {
            return new ByMethod(log);
        }

        @OnGranted("billing")
        void granted() {
            log.add("billing granted");
        }

        @OnRevoked("billing")
        void revoked() {
            log.add("billing revoked");
        }
    }

    static class Jobs {
        @OnLeader("shop-${app.tenant}")
        public @Nullable String work() {
            return "worked";
        }
    }

    @OnLeader("reports")
    static class Reports {
        public @Nullable String work() {
            return "worked";
        }
    }

    @OnLeader
    static class ByClass extends ByMethod {
        ByClass(List<String> log) {
            super(log);
        }

        @Override
        String name() {
            return "by class";
        }
    }

    static class ByMethod implements SmartLifecycle {

        private final List<String> log;
        private volatile boolean running;

        ByMethod(List<String> log) {
            this.log = log;
        }

        String name() {
            return "by method";
        }

        @Override
        public void start() {
            log.add(name() + " started");
            running = true;
        }

        @Override
        public void stop() {
            log.add(name() + " stopped");
            running = false;
        }

        @Override
        public boolean isRunning() {
            return running;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Misuse {
        @Bean
        Counter counter() {
            return new Counter();
        }
    }

    static class Counter {
        @OnLeader
        public int count() {
            return 1;
        }
    }
}
