package io.paxoslease.spring.shards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.paxoslease.PaxosLease;
import io.paxoslease.shards.Shard;
import io.paxoslease.shards.ShardGroup;
import io.paxoslease.spring.autoconfigure.FailureAnalyses;
import io.paxoslease.spring.autoconfigure.PaxosLeaseTestSupport;
import io.paxoslease.spring.proxy.AnnotationUsageException;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;

/** What cannot work on shards stops the start, with what to write instead. */
@Timeout(60)
class ShardRefusalsTest {

    private final ApplicationContextRunner runner =
            PaxosLeaseTestSupport.runner().withPropertyValues("paxoslease.shards.invoices.count=4");

    static Stream<Arguments> methods() {
        return Stream.of(
                Arguments.of(
                        WithoutShard.class,
                        "must have one parameter, the shard.",
                        "Write void work(io.paxoslease.shards.Shard shard); for one query"),
                Arguments.of(
                        WithIndex.class,
                        "@OnShardGranted method",
                        "Write void open(io.paxoslease.shards.Shard shard)."),
                Arguments.of(Returning.class, "returns String", "Return void"),
                Arguments.of(Static.class, "is static.", "instance method"),
                Arguments.of(Private.class, "is private", "package-private"),
                Arguments.of(InBackground.class, "is @Async", "Remove @Async"),
                Arguments.of(
                        OfUnknownGroup.class,
                        "names the group 'orders', and paxoslease.shards.orders.count is not set.",
                        "Set paxoslease.shards.orders.count"),
                Arguments.of(
                        OfMissingProperty.class,
                        "has the group '${app.group}', which cannot be resolved",
                        "app.group:invoices"),
                Arguments.of(OfNoGroup.class, "names an empty group.", "Name a group"),
                Arguments.of(WithStrangeDelay.class, "'soon', which is no duration.", "500ms"),
                Arguments.of(WithoutDelay.class, "'0s', which is not positive.", "leave fixedDelay out"),
                Arguments.of(Factory.class, "The ShardComponentFactory", "Set paxoslease.shards.orders.count"));
    }

    @ParameterizedTest
    @MethodSource("methods")
    void aMethodIsRefused(Class<?> bean, String description, String action) {
        runner.withBean(bean).run(context -> {
            FailureAnalysis analysis = FailureAnalyses.of(context.getStartupFailure());
            assertThat(analysis.getDescription()).contains(description);
            assertThat(analysis.getAction()).contains(action);
        });
    }

    @Test
    void aPrototypeIsRefused() {
        runner.withBean(
                        "work",
                        Fine.class,
                        Fine::new,
                        definition -> definition.setScope(BeanDefinition.SCOPE_PROTOTYPE))
                .run(context -> assertThat(context)
                        .getFailure()
                        .isInstanceOf(AnnotationUsageException.class)
                        .hasMessageContaining("belongs to the bean 'work', which is not a singleton")
                        .hasMessageContaining("ShardComponentFactory"));
    }

    @Test
    void aMethodThatTheProxyOfItsBeanHidesIsRefused() {
        runner.withBean("work", Object.class, () -> proxyOf(new FinalMethod()))
                .run(context -> assertThat(context).getFailure().hasMessageContaining("is final"));
        runner.withBean("work", Object.class, () -> new ProxyFactory(new OutsideInterface()).getProxy())
                .run(context ->
                        assertThat(context).getFailure().hasMessageContaining("is in no interface of its bean"));
    }

    private static Object proxyOf(Object target) {
        ProxyFactory factory = new ProxyFactory(target);
        factory.setProxyTargetClass(true);
        return factory.getProxy();
    }

    @Test
    void withoutShardsAMethodIsRefused() {
        runner.withPropertyValues("paxoslease.enabled=false")
                .withBean(Fine.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining("is never called: shards are off.")
                        .hasMessageContaining("paxoslease.enabled=true"));
        runner.withPropertyValues("paxoslease.enabled=false")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void aChildOfAContextWithAFactoryOfComponentsStarts() {
        runner.withBean(OfInvoices.class).run(parent -> runner.withParent(parent)
                .run(context -> assertThat(context).hasNotFailed()));
    }

    /** For injection by its type. */
    @Test
    void theBeanOfAGroupMayBeTheGroupItself() {
        runner.withUserConfiguration(Exposing.class).run(context -> assertThat(context.getBean(ShardGroup.class))
                .isSameAs(context.getBean(ShardGroups.class).get("invoices")));
    }

    @Configuration(proxyBeanMethods = false)
    static class Exposing {

        @Bean
        ShardGroup invoices(ShardGroups groups) {
            return groups.get("invoices");
        }
    }

    record OfInvoices() implements ShardComponentFactory<AutoCloseable> {

        @Override
        public String group() {
            return "invoices";
        }

        @Override
        public AutoCloseable open(Shard shard) {
            return () -> {};
        }
    }

    @Test
    void moreGroupsThanANodeWatchesAreRefused() {
        String[] groups = IntStream.range(0, 32)
                .mapToObj("paxoslease.shards.g%d.count=1"::formatted)
                .toArray(String[]::new);
        PaxosLeaseTestSupport.runner().withPropertyValues(groups).run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .hasMessageContaining("at most")
                .hasMessageContaining("31 groups"));
    }

    @Test
    void aMethodInAChildContextIsRefused() {
        runner.run(parent -> runner.withParent(parent).withBean(Fine.class).run(context -> assertThat(context)
                .getFailure()
                .hasMessageContaining("belongs to a child of the application context that has the groups")));
    }

    @Test
    void aGroupWhoseNameNeedsBracketsIsFound() {
        PaxosLeaseTestSupport.runner()
                .withPropertyValues("paxoslease.shards.in.voices.count=4")
                .run(context -> assertThat(context).hasFailed());
        PaxosLeaseTestSupport.runner()
                .withPropertyValues("paxoslease.shards.[in.voices].count=4", "app.group=in.voices")
                .withBean(OfMissingProperty.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "count=0             | paxoslease.shards.invoices.count              | Must be from 1 to 4,096",
                "count=4097          | paxoslease.shards.invoices.count              | Must be from 1 to 4,096",
                "max-owned=5         | paxoslease.shards.invoices.max-owned          | At most paxoslease.shards.invoices.count",
                "max-owned=0         | paxoslease.shards.invoices.max-owned          | leave it out to own any number",
                "expected-instances=0| paxoslease.shards.invoices.expected-instances | Must be from 1 to 256",
                "start-wait=-1s      | paxoslease.shards.invoices.start-wait         | Must be zero or more",
                "settle-time=25h     | paxoslease.shards.invoices.settle-time        | at most a day",
                "hand-over-timeout=2d| paxoslease.shards.invoices.hand-over-timeout  | at most a day",
                "requires-health-group=billing | paxoslease.shards.invoices.requires-health-group | spring-boot-starter-actuator"
            })
    void aValueOutOfBoundsIsRefused(String property, String name, String reason) {
        runner.withPropertyValues("paxoslease.shards.invoices." + property).run(context -> {
            assertThat(analysisOf(context.getStartupFailure())).contains(name).contains(reason);
        });
    }

    private static String analysisOf(@Nullable Throwable failure) {
        Throwable root = Objects.requireNonNull(failure, "it has started");
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return String.valueOf(root.getMessage());
    }

    @Test
    void theCountIsRequired() {
        PaxosLeaseTestSupport.runner()
                .withPropertyValues("paxoslease.shards.invoices.max-owned=5")
                .run(context -> assertThat(analysisOf(context.getStartupFailure()))
                        .contains("paxoslease.shards.invoices.count")
                        .contains("Is required"));
    }

    @Test
    void anotherAlgorithmIsRefused() {
        for (String algorithm : new String[] {"flease", "storage"}) {
            runner.withPropertyValues("paxoslease.algorithm=" + algorithm)
                    .run(context -> assertThat(analysisOf(context.getStartupFailure()))
                            .contains("paxoslease.algorithm")
                            .contains("Groups of shards (paxoslease.shards.invoices) need PaxosLease"));
        }
    }

    @Test
    void aSecondDefinitionIsRefused() {
        runner.withUserConfiguration(Second.class).run(context -> assertThat(analysisOf(context.getStartupFailure()))
                .contains("paxoslease.shards.invoices.count")
                .contains("a ShardGroup bean with 8 shards"));
    }

    @Test
    void aGroupThatIsNotConfiguredIsUnknown() {
        runner.run(
                context -> assertThatIllegalArgumentException()
                        .isThrownBy(() -> context.getBean(ShardGroups.class).get("orders"))
                        .withMessage(
                                "There is no group 'orders', only [invoices]: set paxoslease.shards.orders.count to the number of its shards"));
    }

    @Configuration(proxyBeanMethods = false)
    static class Second {
        @Bean
        ShardGroup group(PaxosLease node) {
            return ShardGroup.builder(node, "invoices", 8).build();
        }
    }

    static class Fine {
        @OnShard("invoices")
        void work(Shard shard) {}
    }

    static class WithoutShard {
        @OnShard("invoices")
        void work() {}
    }

    static class WithIndex {
        @OnShardGranted("invoices")
        void open(int shard) {}
    }

    static class Returning {
        @OnShard("invoices")
        String work(Shard shard) {
            return "done";
        }
    }

    static class Static {
        @OnShard("invoices")
        static void work(Shard shard) {}
    }

    @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // found by reflection
    static class Private {
        @OnShardRevoked("invoices")
        private void close(Shard shard) {}
    }

    static class InBackground {
        @Async
        @OnShard("invoices")
        void work(Shard shard) {}
    }

    static class OfUnknownGroup {
        @OnShard("orders")
        void work(Shard shard) {}
    }

    static class OfMissingProperty {
        @OnShard("${app.group}")
        void work(Shard shard) {}
    }

    static class OfNoGroup {
        @OnShard("")
        void work(Shard shard) {}
    }

    static class WithStrangeDelay {
        @OnShard(value = "invoices", fixedDelay = "soon")
        void work(Shard shard) {}
    }

    static class WithoutDelay {
        @OnShard(value = "invoices", fixedDelay = "0s")
        void work(Shard shard) {}
    }

    static class FinalMethod {
        @OnShard("invoices")
        final void work(Shard shard) {}
    }

    static class OutsideInterface implements Runnable {
        @Override
        public void run() {}

        @OnShard("invoices")
        public void work(Shard shard) {}
    }

    static class Factory implements ShardComponentFactory<AutoCloseable> {
        @Override
        public String group() {
            return "orders";
        }

        @Override
        public AutoCloseable open(Shard shard) {
            return () -> {};
        }
    }
}
