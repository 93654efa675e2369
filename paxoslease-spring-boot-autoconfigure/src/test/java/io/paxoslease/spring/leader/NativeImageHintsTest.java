package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.paxoslease.shards.Shard;
import io.paxoslease.spring.autoconfigure.PaxosLeaseTestSupport;
import io.paxoslease.spring.shards.OnShard;
import io.paxoslease.spring.shards.OnShardGranted;
import io.paxoslease.spring.shards.OnShardRevoked;
import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aot.generate.GeneratedFiles.Kind;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.util.ClassUtils;

/** What a native image needs to be told: it creates no classes, and keeps no method or resource that nothing names. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NativeImageHintsTest {

    private final Set<String> classes;
    private final RuntimeHints hints;

    NativeImageHintsTest() {
        TestGenerationContext generation = new TestGenerationContext();
        try (AnnotationConfigApplicationContext application = new AnnotationConfigApplicationContext()) {
            application.register(PaxosLeaseTestSupport.autoConfigurations());
            application.register(
                    Application.class,
                    endpoint("Leases", ""),
                    endpoint("Leases", "WebExtension"),
                    endpoint("Shards", ""));
            new ApplicationContextAotGenerator().processAheadOfTime(application, generation);
        }
        classes = generation.getGeneratedFiles().getGeneratedFiles(Kind.CLASS).keySet();
        hints = generation.getRuntimeHints();
    }

    /** Proxies of guarded beans, and of beans that are only started and stopped. */
    @Test
    void theClassesOfProxiesAreCreatedAheadOfTime() {
        for (Class<?> guarded : List.of(Jobs.class, Reports.class, ByClass.class, ByMethod.class)) {
            assertThat(classes).contains(guarded.getName().replace('.', '/') + "$$SpringCGLIB$$0.class");
        }
        assertThat(classes).noneMatch(name -> name.contains("Container"));
    }

    /** A method that is not found there would not be guarded, and would run on every instance: also behind a JDK proxy, which has no hints. */
    @Test
    void theMethodsOfGuardedBeansAreKept() throws NoSuchMethodException {
        RuntimeHints annotated = new RuntimeHints();
        new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(annotated, Jobs.class, Reports.class);
        for (RuntimeHints each : List.of(hints, annotated)) {
            assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Jobs.class.getDeclaredMethod("work")))
                    .accepts(each);
            assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Reports.class.getDeclaredMethod("work")))
                    .accepts(each);
            assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Jobs.class.getDeclaredMethod("granted")))
                    .accepts(each);
        }
    }

    @Test
    void theMethodsThatWorkOnShardsAreKept() throws NoSuchMethodException {
        for (String name : List.of("work", "open", "close")) {
            assertThat(RuntimeHintsPredicates.reflection()
                            .onMethodInvocation(Invoices.class.getDeclaredMethod(name, Shard.class)))
                    .as(name)
                    .accepts(hints);
        }
    }

    @Test
    void aBeanThatCannotBeProxiedKeepsItsSwitch() throws NoSuchMethodException {
        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethodInvocation(Container.class.getMethod("setAutoStartup", boolean.class)))
                .accepts(hints);
    }

    @Test
    void everyPartOfTheEndpointsAnswersIsKept() {
        List<JavaClass> answers = new ClassFileImporter()
                        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                        .importPackages("io.paxoslease.spring.actuate")
                        .stream()
                        .filter(each -> each.getSimpleName().endsWith("Descriptor"))
                        .toList();
        assertThat(answers).hasSizeGreaterThan(12).allSatisfy(answer -> {
            assertThat(answer.isRecord()).isTrue();
            for (RecordComponent component : answer.reflect().getRecordComponents()) {
                assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(component.getAccessor()))
                        .as("%s.%s", answer.getSimpleName(), component.getName())
                        .accepts(hints);
            }
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "io/paxoslease/jdbc/schema.sql",
                "io/paxoslease/spring/fencing/schema.sql",
                "io/paxoslease/spring/fencing/runs.sql"
            })
    void theStatementsThatCreateTablesAreKept(String resource) {
        assertThat(getClass().getClassLoader().getResource(resource)).isNotNull();
        assertThat(RuntimeHintsPredicates.resource().forResource(resource)).accepts(hints);
    }

    @Configuration(proxyBeanMethods = false)
    static class Application {

        @Bean
        Jobs jobs() {
            return new Jobs();
        }

        @Bean
        Reports reports() {
            return new Reports();
        }

        @Bean
        Invoices invoices() {
            return new Invoices();
        }

        @Bean
        ByClass byClass() {
            return new ByClass();
        }

        @Bean
        @OnLeader
        ByMethod byMethod() {
            return new ByMethod();
        }

        @Bean
        @OnLeader
        Container container() {
            return new Container();
        }
    }

    static class Jobs {

        @OnLeader
        void work() {}

        @OnGranted
        void granted() {}
    }

    static class Invoices {

        @OnShard("invoices")
        void work(Shard shard) {}

        @OnShardGranted("invoices")
        void open(Shard shard) {}

        @OnShardRevoked("invoices")
        void close(Shard shard) {}
    }

    @OnLeader
    static class Reports {
        void work() {}
    }

    @OnLeader
    static class ByClass extends ByMethod {}

    static class ByMethod implements SmartLifecycle {

        @Override
        public void start() {}

        @Override
        public void stop() {}

        @Override
        public boolean isRunning() {
            return false;
        }
    }

    /** As the listener containers of some libraries. */
    static final class Container implements SmartLifecycle {

        private boolean autoStartup = true;

        public void setAutoStartup(boolean autoStartup) {
            this.autoStartup = autoStartup;
        }

        @Override
        public boolean isAutoStartup() {
            return autoStartup;
        }

        @Override
        public void start() {}

        @Override
        public void stop() {}

        @Override
        public boolean isRunning() {
            return false;
        }
    }

    private static Class<?> endpoint(String name, String end) {
        return ClassUtils.resolveClassName(
                "io.paxoslease.spring.actuate." + name + "Endpoint" + end, NativeImageHintsTest.class.getClassLoader());
    }
}
