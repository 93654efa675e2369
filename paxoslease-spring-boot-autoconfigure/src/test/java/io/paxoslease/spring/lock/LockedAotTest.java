package io.paxoslease.spring.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.spring.autoconfigure.PaxosLeaseTestSupport;
import io.paxoslease.spring.proxy.AnnotationUsageException;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.AopUtils;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;
import org.springframework.test.context.support.TestPropertySourceUtils;

/** Applications that are processed ahead of time: the generated code creates the same beans, locked in the same way. */
@Tag("slow")
@Tag("jdk")
@CompileWithForkedClassLoader
class LockedAotTest {

    @Test
    void methodsAreLockedWithTheSettingsOfTheRunningApplication() {
        run(Application.class, context -> {
            Jobs jobs = context.getBean(Jobs.class);
            assertThat(AopUtils.isAopProxy(jobs)).isTrue();
            assertThat(jobs.work(7)).isEqualTo("shop-blue:7");
        });
    }

    @Test
    void misuseStopsTheBuild() {
        assertThatThrownBy(() -> run(Misuse.class, context -> {}))
                .isInstanceOf(AnnotationUsageException.class)
                .hasMessageContaining("is final");
    }

    /** Processes it without the properties that only the running application has, and runs the generated code. */
    private static void run(Class<?> application, Consumer<GenericApplicationContext> test) {
        TestGenerationContext generation = new TestGenerationContext();
        try (AnnotationConfigApplicationContext source = new AnnotationConfigApplicationContext()) {
            source.register(PaxosLeaseTestSupport.autoConfigurations());
            source.register(application);
            new ApplicationContextAotGenerator().processAheadOfTime(source, generation);
        }
        generation.writeGeneratedContent();
        TestCompiler.forSystem().with(generation).compile(compiled -> {
            try (GenericApplicationContext context = new GenericApplicationContext()) {
                TestPropertySourceUtils.addInlinedPropertiesToEnvironment(
                        context, "paxoslease.standalone=true", "app.tenant=blue", "app.wait=2s");
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
        @Bean
        Jobs jobs() {
            return new Jobs();
        }
    }

    static class Jobs {
        @Locked(name = "shop-${app.tenant}", key = "#id", waitFor = "${app.wait}")
        public String work(int id) {
            return LockedCall.current().key();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Misuse {
        @Bean
        Final last() {
            return new Final();
        }
    }

    static class Final {
        @Locked("k")
        public final void work() {}
    }
}
