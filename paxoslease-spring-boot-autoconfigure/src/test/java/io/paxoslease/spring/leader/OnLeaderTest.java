package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.annotation.AliasFor;
import org.springframework.mock.env.MockEnvironment;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

class OnLeaderTest {

    private final StubbedElections elections = new StubbedElections();
    private final AnnotationConfigApplicationContext context = elections.context(Jobs.class);

    @AfterEach
    void close() {
        context.close();
    }

    @Test
    void theLeaderRunsTheMethodWithItsArgumentsAndResult() {
        Jobs jobs = jobs();
        elections.lead("leader");
        assertThat(jobs.echo("hello")).isEqualTo("hello");
        jobs.run();
        assertThat(jobs.runs().get()).isEqualTo(2);
    }

    @Test
    void theLeaderSeesTheMethodsException() {
        Jobs jobs = jobs();
        elections.lead("leader");
        assertThatExceptionOfType(IOException.class).isThrownBy(jobs::fail).withMessage("disk");
    }

    @Test
    void aFollowerDoesNotRunTheMethod() throws IOException {
        Jobs jobs = jobs();
        jobs.run();
        jobs.fail();
        jobs.protectedJob();
        jobs.packagePrivateJob();
        assertThat(jobs.runs().get()).isZero();
    }

    @Test
    void oneLocalCheckIsMadePerCall() {
        Jobs jobs = jobs();
        jobs.run();
        assertThat(elections.askedBy).containsExactly(Thread.currentThread().getName());
    }

    @Test
    void methodsWithoutTheAnnotationAreNotGuarded() {
        assertThat(jobs().plain()).isEqualTo("plain");
        assertThat(elections.askedBy).isEmpty();
    }

    @Test
    void aSkippedCallReturnsNullForReferences() {
        assertThat(jobs().echo("hello")).isNull();
        assertThat(jobs().boxed()).isNull();
    }

    @Test
    void aSkippedCallReturnsEmptyForOptionals() {
        assertThat(jobs().optional()).isEmpty();
        assertThat(jobs().optionalInt()).isEmpty();
        assertThat(jobs().optionalLong()).isEmpty();
    }

    @Test
    void aSkippedCallReturnsFuturesThatAreCompletedWithNull() throws Exception {
        assertThat(jobs().future().get()).isNull();
        assertThat(jobs().completableFuture()).isCompletedWithValue(null);
        assertThat(jobs().completionStage().toCompletableFuture()).isCompletedWithValue(null);
        assertThat(jobs().completableFuture()).isNotSameAs(jobs().completableFuture());
    }

    @Test
    void aSkippedCallReturnsEmptyForReactiveTypes() {
        assertThat(jobs().mono().blockOptional()).isEmpty();
        assertThat(jobs().flux().collectList().block()).isEmpty();
        assertThat(Flux.from(jobs().publisher()).collectList().block()).isEmpty();
        assertThat(jobs().flow()).isNotNull();
    }

    @Test
    void theRoleIsTheDefaultUnlessNamed() {
        elections.lead("billing");
        assertThat(jobs().echo("default role")).isNull();
        assertThat(jobs().byValue()).isEqualTo("by value");
        assertThat(jobs().byRole()).isEqualTo("by role");
    }

    @Test
    void placeholdersInTheRoleAreResolved() {
        elections.lead("shop-7");
        assertThat(jobs().tenantJob()).isEqualTo("tenant");
    }

    @Test
    void composedAnnotationsMeanTheSame() {
        assertThat(jobs().composed()).isNull();
        assertThat(jobs().composedWithRole()).isNull();
        elections.lead("nightly");
        elections.lead("weekly");
        assertThat(jobs().composed()).isEqualTo("nightly");
        assertThat(jobs().composedWithRole()).isEqualTo("weekly");
    }

    @Test
    void annotationsOnAnInterfaceOrASuperclassCount() {
        assertThat(jobs().fromInterface()).isNull();
        assertThat(jobs().fromSuperclass()).isNull();
        assertThat(jobs().generic("bridged")).isNull();
        elections.lead("leader");
        assertThat(jobs().fromInterface()).isEqualTo("interface");
        assertThat(jobs().fromSuperclass()).isEqualTo("superclass");
        assertThat(jobs().generic("bridged")).isEqualTo("bridged");
    }

    @Test
    void everyRoleThatABeanNamesIsStoodFor() {
        jobs();
        assertThat(elections.found).containsExactlyInAnyOrder("leader", "billing", "shop-7", "nightly", "weekly");
    }

    @Test
    void rolesOfBeansThatAreCreatedLaterAreContestedFromTheStart() {
        try (AnnotationConfigApplicationContext late = elections.context()) {
            late.registerBean("late", Late.class, definition -> definition.setLazyInit(true));
            late.refresh();
            assertThat(elections.found).contains("late");
            assertThat(late.getBeanFactory().containsSingleton("late")).isFalse();
        }
    }

    private Jobs jobs() {
        if (!context.isActive()) {
            context.setEnvironment(new MockEnvironment().withProperty("app.tenant", "7"));
            context.refresh();
        }
        return context.getBean(Jobs.class);
    }

    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @OnLeader("nightly")
    @interface Nightly {}

    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @OnLeader
    @interface Elected {
        @AliasFor(annotation = OnLeader.class, attribute = "role")
        String by();
    }

    interface Contract<T> {
        @OnLeader
        @Nullable
        String fromInterface();

        @OnLeader
        @Nullable
        T generic(T value);
    }

    abstract static class Base {
        @OnLeader
        @Nullable
        String fromSuperclass() {
            return "superclass";
        }
    }

    static class Late {
        @OnLeader("late")
        void run() {}
    }

    static class Jobs extends Base implements Contract<String> {

        private final AtomicInteger runs = new AtomicInteger();

        AtomicInteger runs() {
            return runs;
        }

        @OnLeader
        public void run() {
            runs.incrementAndGet();
        }

        @OnLeader
        @Nullable
        String echo(String text) {
            runs.incrementAndGet();
            return text;
        }

        @OnLeader
        public void fail() throws IOException {
            runs.incrementAndGet();
            throw new IOException("disk");
        }

        @OnLeader
        protected void protectedJob() {
            runs.incrementAndGet();
        }

        @OnLeader
        void packagePrivateJob() {
            runs.incrementAndGet();
        }

        String plain() {
            return "plain";
        }

        @OnLeader
        @Nullable
        List<String> list() {
            return List.of("a");
        }

        @OnLeader
        @Nullable
        Integer boxed() {
            return 1;
        }

        @OnLeader
        Optional<String> optional() {
            return Optional.of("a");
        }

        @OnLeader
        OptionalInt optionalInt() {
            return OptionalInt.of(1);
        }

        @OnLeader
        OptionalLong optionalLong() {
            return OptionalLong.of(1);
        }

        @OnLeader
        Future<@Nullable String> future() {
            return CompletableFuture.completedFuture("a");
        }

        @OnLeader
        CompletableFuture<@Nullable String> completableFuture() {
            return CompletableFuture.completedFuture("a");
        }

        @OnLeader
        CompletionStage<@Nullable String> completionStage() {
            return CompletableFuture.completedFuture("a");
        }

        @OnLeader
        Mono<String> mono() {
            return Mono.just("a");
        }

        @OnLeader
        Flux<String> flux() {
            return Flux.just("a");
        }

        @OnLeader
        Publisher<String> publisher() {
            return Mono.just("a");
        }

        @OnLeader
        Flow.@Nullable Publisher<String> flow() {
            return null;
        }

        @OnLeader("billing")
        @Nullable
        String byValue() {
            return "by value";
        }

        @OnLeader(role = "billing")
        @Nullable
        String byRole() {
            return "by role";
        }

        @OnLeader("shop-${app.tenant}")
        @Nullable
        String tenantJob() {
            return "tenant";
        }

        @Nightly
        @Nullable
        String composed() {
            return "nightly";
        }

        @Elected(by = "weekly")
        @Nullable
        String composedWithRole() {
            return "weekly";
        }

        @Override
        public @Nullable String fromInterface() {
            return "interface";
        }

        @Override
        public @Nullable String generic(String value) {
            return value;
        }
    }
}
