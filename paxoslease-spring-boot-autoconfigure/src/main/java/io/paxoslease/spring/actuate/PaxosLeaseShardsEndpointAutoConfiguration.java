package io.paxoslease.spring.actuate;

import io.paxoslease.PaxosLease;
import io.paxoslease.spring.shards.ShardGroups;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Offers {@code /actuator/shards}. */
@AutoConfiguration(
        afterName = {
            "io.paxoslease.spring.shards.PaxosLeaseShardsAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration"
        })
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnAvailableEndpoint(ShardsEndpoint.class)
@ConditionalOnBean({PaxosLease.class, ShardGroups.class})
final class PaxosLeaseShardsEndpointAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    ShardsEndpoint shardsEndpoint(ShardGroups groups, PaxosLease node) {
        return new ShardsEndpoint(groups, () -> node.monitor().options().nodeId());
    }
}
