package io.paxoslease.spring.actuate;

import io.paxoslease.PaxosLease;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.availability.ApplicationAvailabilityAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.availability.ApplicationAvailability;
import org.springframework.context.annotation.Bean;

/** Lets the application's readiness wait until its member votes, in the place of Spring Boot's own bean. */
@AutoConfiguration(
        afterName = "io.paxoslease.spring.autoconfigure.PaxosLeaseAutoConfiguration",
        before = ApplicationAvailabilityAutoConfiguration.class)
@ConditionalOnBean(PaxosLease.class)
final class PaxosLeaseAvailabilityAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(ApplicationAvailability.class)
    MemberAvailability applicationAvailability(ObjectProvider<PaxosLease> nodes) {
        return new MemberAvailability(nodes::stream);
    }
}
