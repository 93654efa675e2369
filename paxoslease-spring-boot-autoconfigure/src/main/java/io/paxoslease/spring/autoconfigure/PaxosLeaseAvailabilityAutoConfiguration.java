package io.paxoslease.spring.autoconfigure;

import io.paxoslease.PaxosLease;
import io.paxoslease.spring.actuate.MemberAvailability;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.availability.ApplicationAvailabilityAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.availability.ApplicationAvailability;
import org.springframework.context.annotation.Bean;

/** Lets the application's readiness wait until its member votes, in the place of Spring Boot's own bean. */
@AutoConfiguration(after = PaxosLeaseAutoConfiguration.class, before = ApplicationAvailabilityAutoConfiguration.class)
@ConditionalOnBean(PaxosLease.class)
public final class PaxosLeaseAvailabilityAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(ApplicationAvailability.class)
    MemberAvailability applicationAvailability(ObjectProvider<PaxosLease> nodes) {
        return new MemberAvailability(nodes::stream);
    }
}
