package io.paxoslease.spring.leader;

import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** The health groups that properties of roles name. */
final class HealthChecks {

    private final ObjectProvider<HealthGroups> groups;

    HealthChecks(ObjectProvider<HealthGroups> groups) {
        this.groups = groups;
    }

    /**
     * The check of that group: whether it is up now. A call takes as long as the checks of the group.
     *
     * @throws InvalidConfigurationPropertyValueException naming the property, its value, and what to change
     */
    BooleanSupplier find(String role, String group) {
        HealthGroups known = groups.getIfAvailable();
        String property = ElectionSettings.property(role) + ".requires-health-group";
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
