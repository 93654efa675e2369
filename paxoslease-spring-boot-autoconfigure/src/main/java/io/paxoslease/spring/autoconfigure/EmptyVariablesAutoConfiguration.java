package io.paxoslease.spring.autoconfigure;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/** Refuses empty environment variables, also one that would switch the node off. */
@AutoConfiguration
final class EmptyVariablesAutoConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static EmptyVariables paxosLeaseEmptyVariables(Environment environment) {
        return new EmptyVariables(environment);
    }
}
