package io.paxoslease.spring.lock;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;

/** Refuses {@link Locked} methods that would run without their locks. */
@AutoConfiguration
final class LockedRefusalAutoConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockedRefusal lockedRefusal() {
        return new LockedRefusal();
    }
}
