package io.paxoslease.spring.autoconfigure;

import io.paxoslease.InvalidOptionException;
import io.paxoslease.PaxosLeaseOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/** The name of the cell: {@code paxoslease.cell}, else the application's name, so that two applications share no leases by mistake. */
final class CellName {

    private static final Logger log = LoggerFactory.getLogger(CellName.class);
    private static final String APPLICATION = "spring.application.name";

    private CellName() {}

    static String application(Environment environment) {
        return environment.getProperty(APPLICATION, "");
    }

    /** @param application the application's name, as it is set; may be empty */
    static String of(PaxosLeaseProperties properties, String application) {
        String configured = properties.cell();
        if (configured != null) {
            return configured;
        }
        if (!StringUtils.hasText(application)) {
            return PaxosLeaseOptions.DEFAULT_CELL;
        }
        // A cell of one has no other node that must know its name, so any application can be tried out.
        return properties.standalone() ? NodeOptions.shown(application) : application;
    }

    /** An application without a name shares a store with all others that have none. */
    static void warnOfSharedStore(PaxosLeaseProperties properties, String application) {
        if (properties.usesStore() && properties.cell() == null && !StringUtils.hasText(application)) {
            log.warn(
                    "This application has no name: it shares its roles and locks with every other application without a name that uses the"
                            + " same store. Set {}, or paxoslease.cell",
                    APPLICATION);
        }
    }

    /** What to tell of a name that no cell can have. */
    static InvalidConfigurationPropertyValueException invalid(
            PaxosLeaseProperties properties, InvalidOptionException invalid) {
        if (properties.cell() != null) {
            return new InvalidConfigurationPropertyValueException(
                    PaxosLeaseProperties.PREFIX + invalid.option(),
                    invalid.value(),
                    StringUtils.capitalize(invalid.reason()) + ".");
        }
        return new InvalidConfigurationPropertyValueException(
                APPLICATION,
                invalid.value(),
                "Is the name of the cell by default, which %s: set 'paxoslease.cell' to such a name, the same on every instance."
                        .formatted(invalid.reason()));
    }
}
