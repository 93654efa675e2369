package io.paxoslease.spring.leader;

import io.paxoslease.protocol.Printable;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationListener;
import org.springframework.core.Ordered;
import org.springframework.integration.leader.event.AbstractLeaderEvent;
import org.springframework.integration.leader.event.OnGrantedEvent;
import org.springframework.integration.leader.event.OnRevokedEvent;
import org.springframework.integration.support.SmartLifecycleRoleController;

/**
 * Stops endpoints of a role once more if their start continued in the background and shows only after the leadership has ended: the controller of
 * Spring Integration stops them when it ends, and does not look again. Registered by the auto-configuration. Thread-safe.
 */
public final class RoleEndpoints implements ApplicationListener<AbstractLeaderEvent>, Ordered, DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(RoleEndpoints.class);

    private final ObjectProvider<SmartLifecycleRoleController> controllers;
    private final Map<String, Endpoints> roles = new ConcurrentHashMap<>();

    /** @param controllers start and stop the endpoints */
    public RoleEndpoints(ObjectProvider<SmartLifecycleRoleController> controllers) {
        this.controllers = controllers;
    }

    /** Before the controller: its stop would hide which endpoints ran. */
    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    public void onApplicationEvent(AbstractLeaderEvent event) {
        if (event.getSource() instanceof PaxosLeaseLeaderInitiator initiator) {
            Endpoints endpoints =
                    roles.computeIfAbsent(event.getRole(), role -> new Endpoints(role, initiator, controllers));
            if (event instanceof OnGrantedEvent) {
                endpoints.lateStart.leadershipBegins();
            } else if (event instanceof OnRevokedEvent) {
                endpoints.leadershipEnded();
            }
        }
    }

    @Override
    public void destroy() {
        roles.values().forEach(endpoints -> endpoints.lateStart.contextClosed());
    }

    /** Those of one role. */
    private static final class Endpoints {

        private final String role;
        private final PaxosLeaseLeaderInitiator initiator;
        private final ObjectProvider<SmartLifecycleRoleController> controllers;
        private final LateStart lateStart;
        /** Had been started, and did not run when the leadership ended. */
        private volatile Set<String> notRunning = Set.of();
        /** Those known at the end of the leadership: a closed bean factory, asked again, would create others. */
        private volatile List<SmartLifecycleRoleController> known = List.of();

        Endpoints(
                String role,
                PaxosLeaseLeaderInitiator initiator,
                ObjectProvider<SmartLifecycleRoleController> controllers) {
            this.role = role;
            this.initiator = initiator;
            this.controllers = controllers;
            this.lateStart = new LateStart(this::stopUnlessLeading, LateStart.scheduler(role));
        }

        void leadershipEnded() {
            known = controllers.stream().toList();
            notRunning = whoseRunningIs(false);
            if (!notRunning.isEmpty()) {
                lateStart.expect();
            }
            lateStart.leadershipEnded();
        }

        /** Whether one of them has started late. */
        private boolean stopUnlessLeading() {
            Set<String> late = whoseRunningIs(true);
            late.retainAll(notRunning);
            if (late.isEmpty() || initiator.isLeader()) {
                return false;
            }
            log.warn(
                    "The endpoints {} started after the leadership of their role '{}' had ended: stopping them",
                    Printable.text(late),
                    Printable.name(role));
            known.forEach(controller -> controller.stopLifecyclesInRole(role));
            return true;
        }

        private Set<String> whoseRunningIs(boolean running) {
            return known.stream()
                    .flatMap(controller -> controller.getEndpointsRunningStatus(role).entrySet().stream())
                    .filter(status -> status.getValue() == running)
                    .map(Map.Entry::getKey)
                    .collect(Collectors.toSet());
        }
    }
}
