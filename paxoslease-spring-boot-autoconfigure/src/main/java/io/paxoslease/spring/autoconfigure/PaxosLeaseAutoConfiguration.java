package io.paxoslease.spring.autoconfigure;

import io.paxoslease.AlgorithmOptions;
import io.paxoslease.MembershipStore;
import io.paxoslease.PaxosLease;
import io.paxoslease.spring.leader.ElectionSettings;
import io.paxoslease.spring.shards.ShardSettings;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.autoconfigure.context.LifecycleProperties;
import org.springframework.boot.autoconfigure.info.ProjectInfoAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.context.properties.ConfigurationPropertiesBinding;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.info.BuildProperties;
import org.springframework.boot.info.GitProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * Makes this application a node of a cell: a {@link PaxosLease} bean that is started before and stopped after all beans
 * that use it. A {@code PaxosLease} bean of the application replaces it, and is started and stopped in the same way. The properties say
 * which cell it is, unless there are {@link PaxosLeaseConnectionDetails}.
 */
@AutoConfiguration(
        after = {ProjectInfoAutoConfiguration.class, SslAutoConfiguration.class},
        afterName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
@ConditionalOnBooleanProperty(name = "paxoslease.enabled", matchIfMissing = true)
@EnableConfigurationProperties(PaxosLeaseProperties.class)
public final class PaxosLeaseAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(PaxosLeaseConnectionDetails.class)
    PropertiesPaxosLeaseConnectionDetails paxosLeaseConnectionDetails(
            PaxosLeaseProperties properties, Environment environment) {
        return new PropertiesPaxosLeaseConnectionDetails(properties, CellName.application(environment));
    }

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    PaxosLease paxosLease(
            PaxosLeaseProperties configured,
            ObjectProvider<PaxosLeaseConnectionDetails> connections,
            ObjectProvider<PaxosLeaseOptionsCustomizer> customizers,
            ObjectProvider<SslBundles> bundles,
            ListableBeanFactory beans,
            Environment environment) {
        CellDetails details = CellDetails.of(connections, configured);
        PaxosLeaseProperties properties = details.properties();
        details.report(configured, environment);
        String application = CellName.application(environment);
        Supplier<AlgorithmOptions> algorithm = () -> ConfiguredAlgorithm.of(properties, beans);
        Supplier<@Nullable MembershipStore> members =
                () -> new ConfiguredMembershipStore(properties, CellName.of(properties, application), beans).store();
        NodeOptions options =
                new NodeOptions(details, customizers.orderedStream().toList(), environment);
        String bundle = properties.standalone() ? null : properties.ssl().bundleInUse();
        BundleTls tls = bundle == null ? null : new BundleTls(properties.ssl(), bundle, bundles.getIfAvailable());
        PaxosLease node = PaxosLease.create(options.build(tls == null ? null : tls.current(), algorithm, members));
        if (tls != null) {
            tls.reloadInto(node);
        }
        StandaloneWarning.warnOfPeersInTest(node.monitor().options(), getClass().getClassLoader());
        return node;
    }

    @Bean
    @ConditionalOnBean(
            value = PaxosLease.class,
            search = SearchStrategy.CURRENT) // a parent's is not this context's to stop
    PaxosLeaseLifecycle paxosLeaseLifecycle(PaxosLease node, Environment environment) {
        return new PaxosLeaseLifecycle(node, StandaloneByDefault.in(environment));
    }

    @Bean
    @ConditionalOnBean(value = PaxosLease.class, search = SearchStrategy.CURRENT)
    VoteWait paxosLeaseVoteWait(PaxosLease node, ObjectProvider<LifecycleProperties> lifecycle) {
        return new VoteWait(node, withinPhase(lifecycle));
    }

    @Bean
    @ConditionalOnMissingBean
    ElectionSettings paxosLeaseElectionSettings(
            PaxosLeaseProperties configured,
            ObjectProvider<PaxosLeaseConnectionDetails> connections,
            ObjectProvider<LifecycleProperties> lifecycle) {
        PaxosLeaseProperties properties =
                CellDetails.of(connections, configured).properties();
        Integer phase = properties.phase();
        return new ElectionSettings(
                properties.toRoleSettings(),
                phase == null ? ElectionSettings.DEFAULT_PHASE : phase,
                properties.leadership().start() == PaxosLeaseProperties.Leadership.Start.READY,
                withinPhase(lifecycle),
                properties.toUrls());
    }

    @Bean
    @ConditionalOnMissingBean
    ShardSettings paxosLeaseShardSettings(
            PaxosLeaseProperties configured,
            ObjectProvider<PaxosLeaseConnectionDetails> connections,
            ObjectProvider<BuildProperties> build,
            ObjectProvider<GitProperties> git,
            Environment environment) {
        PaxosLeaseProperties properties =
                CellDetails.of(connections, configured).properties();
        return ShardGroupProperties.toSettings(
                properties, () -> ShardRevision.of(build.getIfUnique(), git.getIfUnique(), environment));
    }

    /** A little less than the container waits for a phase, which then completes before the container gives up. */
    private static Duration withinPhase(ObjectProvider<LifecycleProperties> lifecycle) {
        Duration phase = lifecycle.getIfAvailable(LifecycleProperties::new).getTimeoutPerShutdownPhase();
        return phase.multipliedBy(9).dividedBy(10);
    }

    @Bean
    @ConfigurationPropertiesBinding
    static CommaSeparatedConverter paxosLeaseMembersConverter() {
        return new CommaSeparatedConverter();
    }
}
