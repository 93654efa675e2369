package io.paxoslease.spring.actuate;

import io.paxoslease.PaxosLease;
import java.util.Locale;
import java.util.regex.Pattern;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** Adds the cell's majority to the application's health. */
@AutoConfiguration(afterName = "io.paxoslease.spring.autoconfigure.PaxosLeaseAutoConfiguration")
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnEnabledHealthIndicator("leases")
@ConditionalOnBean(PaxosLease.class)
final class PaxosLeaseHealthAutoConfiguration {

    private static final Pattern CODE = Pattern.compile("[A-Z][A-Z0-9_]*");

    @Bean
    @ConditionalOnMissingBean(name = "leasesHealthIndicator")
    PaxosLeaseHealthIndicator leasesHealthIndicator(PaxosLease node, Environment environment) {
        Binder properties = Binder.get(environment);
        return new PaxosLeaseHealthIndicator(
                node.monitor(),
                new HealthStatuses(status("no-quorum-status", properties), status("starting-status", properties)));
    }

    private static Status status(String name, Binder properties) {
        String property = "paxoslease.health." + name;
        String code = properties.bind(property, String.class).orElse("UNKNOWN");
        String status = code.strip().toUpperCase(Locale.ROOT).replace('-', '_');
        if (!CODE.matcher(status).matches()) {
            throw new InvalidConfigurationPropertyValueException(
                    property,
                    code,
                    "Must be the code of a health status: UNKNOWN, UP, OUT_OF_SERVICE, DOWN, or one of your own in 'management.endpoint.health.status.order'.");
        }
        return new Status(status);
    }
}
