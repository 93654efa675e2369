package io.paxoslease.spring.leader;

import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** The health groups of this application. Thread-safe. Not made for applications. */
public interface HealthGroups {

    /** The names of all groups. */
    Set<String> names();

    /** Whether a probe of that group would succeed now. Takes as long as the checks of the group. */
    boolean isUp(String group);

    /**
     * Whether the group is up now, which takes as long as the checks of the group.
     *
     * @param property which requires the group
     * @throws InvalidConfigurationPropertyValueException if there is no such group
     */
    static BooleanSupplier check(ObjectProvider<HealthGroups> groups, String property, String group) {
        HealthGroups known = groups.getIfAvailable();
        if (known == null) {
            throw new InvalidConfigurationPropertyValueException(
                    property,
                    group,
                    "Needs the application's health: add spring-boot-starter-actuator, and expose the endpoint 'health'.");
        }
        if (!known.names().contains(group)) {
            throw new InvalidConfigurationPropertyValueException(
                    property,
                    group,
                    "There is no such health group, only %s: configure it with 'management.endpoint.health.group.%s.include'."
                            .formatted(new TreeSet<>(known.names()), group));
        }
        return () -> known.isUp(group);
    }
}
