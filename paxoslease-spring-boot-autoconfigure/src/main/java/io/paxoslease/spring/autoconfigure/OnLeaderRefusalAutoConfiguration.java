package io.paxoslease.spring.autoconfigure;

import io.paxoslease.spring.leader.OnLeader;
import io.paxoslease.spring.leader.OnLeaderRefusal;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/** Refuses {@link OnLeader} methods that are not guarded, for any reason, and environment variables that are empty. */
@AutoConfiguration
public final class OnLeaderRefusalAutoConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static OnLeaderRefusal onLeaderRefusal() {
        return new OnLeaderRefusal();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static EmptyVariables paxosLeaseEmptyVariables(Environment environment) {
        return new EmptyVariables(environment);
    }
}
