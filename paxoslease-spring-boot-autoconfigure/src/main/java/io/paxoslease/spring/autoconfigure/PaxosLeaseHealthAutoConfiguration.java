package io.paxoslease.spring.autoconfigure;

import io.paxoslease.PaxosLease;
import io.paxoslease.spring.actuate.HealthStatuses;
import io.paxoslease.spring.actuate.PaxosLeaseHealthIndicator;
import java.util.Locale;
import java.util.regex.Pattern;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.annotation.Bean;

/** Adds the cell's majority to the application's health. */
@AutoConfiguration(after = PaxosLeaseAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnEnabledHealthIndicator("leases")
@ConditionalOnBean(PaxosLease.class)
@EnableConfigurationProperties(PaxosLeaseProperties.class)
public final class PaxosLeaseHealthAutoConfiguration {

    private static final Pattern CODE = Pattern.compile("[A-Z][A-Z0-9_]*");

    @Bean
    @ConditionalOnMissingBean(name = "leasesHealthIndicator")
    PaxosLeaseHealthIndicator leasesHealthIndicator(PaxosLease node, PaxosLeaseProperties properties) {
        return new PaxosLeaseHealthIndicator(node, statuses(properties.health()));
    }

    /** Not in the properties' class: Spring Boot's health is not always there. */
    private static HealthStatuses statuses(PaxosLeaseProperties.Health health) {
        return new HealthStatuses(
                status("no-quorum-status", health.noQuorumStatus()),
                status("starting-status", health.startingStatus()));
    }

    private static Status status(String name, String code) {
        String status = code.strip().toUpperCase(Locale.ROOT).replace('-', '_');
        if (!CODE.matcher(status).matches()) {
            throw new InvalidConfigurationPropertyValueException(
                    PaxosLeaseProperties.PREFIX + "health." + name,
                    code,
                    "Must be the code of a health status: UNKNOWN, UP, OUT_OF_SERVICE, DOWN, or one of your own in 'management.endpoint.health.status.order'.");
        }
        return new Status(status);
    }
}
