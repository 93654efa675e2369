package io.paxoslease.spring.leader;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;

/** Refuses {@link OnLeader} methods that are not guarded, for any reason. */
@AutoConfiguration
final class OnLeaderRefusalAutoConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static OnLeaderRefusal onLeaderRefusal() {
        return new OnLeaderRefusal();
    }
}
