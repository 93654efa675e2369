package io.paxoslease.spring.leader;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.context.SmartLifecycle;
import org.springframework.integration.support.SmartLifecycleRoleController;

/**
 * The endpoints that a controller of Spring Integration starts and stops with a role. It tells only their names, which shift when an
 * endpoint is removed, and asks each whether it runs, which may throw; so its field is read. Endpoints of child contexts are among them.
 */
final class RoleMembers {

    private static final String FIELD = "lifecycles";

    private RoleMembers() {}

    /** A copy. Creates the beans that joined the role by name only; {@link #known} does not. */
    static List<SmartLifecycle> of(SmartLifecycleRoleController controller, String role) {
        controller.getRoles();
        return known(controller, role);
    }

    /** A copy, of those that exist. Calls no code of the application. */
    static List<SmartLifecycle> known(SmartLifecycleRoleController controller, String role) {
        Object lifecycles = new DirectFieldAccessor(controller).getPropertyValue(FIELD);
        if (lifecycles instanceof Map<?, ?> roles && roles.get(role) instanceof List<?> members) {
            return Stream.of(members.toArray()) // in one step: flows join and leave a role at any time
                    .filter(SmartLifecycle.class::isInstance)
                    .map(SmartLifecycle.class::cast)
                    .toList();
        }
        return List.of();
    }
}
