package io.paxoslease.spring.leader;

import io.paxoslease.protocol.Printable;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.Ordered;
import org.springframework.integration.leader.event.AbstractLeaderEvent;
import org.springframework.integration.leader.event.OnGrantedEvent;
import org.springframework.integration.leader.event.OnRevokedEvent;
import org.springframework.integration.support.SmartLifecycleRoleController;
import org.springframework.integration.support.context.NamedComponent;

/**
 * Stops endpoints of a role once more if their start continued in the background and shows only after the leadership has ended: the controller of
 * Spring Integration stops them when it ends, and does not look again. Registered by the auto-configuration. Thread-safe.
 */
final class RoleEndpoints implements ApplicationListener<AbstractLeaderEvent>, Ordered, DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(RoleEndpoints.class);

    private final ObjectProvider<SmartLifecycleRoleController> controllers;
    private final Map<String, Endpoints> roles = new ConcurrentHashMap<>();

    RoleEndpoints(ObjectProvider<SmartLifecycleRoleController> controllers) {
        this.controllers = controllers;
    }

    private static Set<SmartLifecycle> identitySet() {
        return Collections.newSetFromMap(new IdentityHashMap<>());
    }

    /** Before the controller: its stop would hide which endpoints ran. */
    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    /** Logs a failure instead of throwing it: an exception would keep the event from the controller. */
    @Override
    public void onApplicationEvent(AbstractLeaderEvent event) {
        if (event.getSource() instanceof PaxosLeaseLeaderInitiator) {
            Endpoints endpoints = roles.computeIfAbsent(event.getRole(), Endpoints::new);
            try {
                if (event instanceof OnGrantedEvent) {
                    endpoints.leadershipBegins();
                } else if (event instanceof OnRevokedEvent) {
                    endpoints.leadershipEnded();
                }
            } catch (Exception | Error failure) { // beans of the application are created here
                log.error(
                        "Failed to look which endpoints in the role '{}' run: one that starts late may run on beside the next leader's",
                        Printable.name(event.getRole()),
                        failure);
            }
        }
    }

    @Override
    public void destroy() {
        roles.values().forEach(endpoints -> endpoints.lateStart.contextClosed());
    }

    private final class Endpoints {

        private final String role;
        private final LateStart lateStart;
        /** Did not run when a leadership ended: a start of theirs may be on its way. Guarded by itself. */
        private final Set<SmartLifecycle> awaited = identitySet();
        /** Ran when the leadership ended, and have not been seen stopped since. Guarded by {@link #awaited}. */
        private final Set<SmartLifecycle> running = identitySet();
        /** Those known when the last leadership began or ended: a closed bean factory, asked again, would create others. */
        private volatile List<SmartLifecycleRoleController> known = List.of();

        private volatile boolean led;

        Endpoints(String role) {
            this.role = role;
            this.lateStart = new LateStart(this::stopThoseThatStartedLate, LateStart.scheduler(role));
        }

        void leadershipBegins() {
            led = true;
            lateStart.leadershipBegins();
            members();
        }

        void leadershipEnded() {
            led = false;
            try {
                Set<SmartLifecycle> members = members();
                synchronized (awaited) {
                    awaited.retainAll(lateStart.isExpected() ? members : Set.of());
                    running.clear();
                    members.forEach(endpoint -> (isRunning(endpoint) ? running : awaited).add(endpoint));
                    if (!awaited.isEmpty()) {
                        lateStart.expect();
                    }
                }
            } finally {
                lateStart.leadershipEnded();
            }
        }

        private Set<SmartLifecycle> members() {
            known = controllers.stream().toList();
            Set<SmartLifecycle> members = identitySet();
            known.forEach(controller -> members.addAll(RoleMembers.of(controller, role)));
            return members;
        }

        private boolean has(SmartLifecycle endpoint) {
            return known.stream()
                    .flatMap(controller -> RoleMembers.known(controller, role).stream())
                    .anyMatch(member -> member == endpoint);
        }

        /** Whether one has. */
        private boolean stopThoseThatStartedLate() {
            List<SmartLifecycle> candidates;
            synchronized (awaited) {
                candidates = List.copyOf(awaited);
            }
            boolean any = false;
            for (SmartLifecycle endpoint : candidates) {
                if (!isRunning(endpoint)) {
                    roles.values().forEach(each -> each.hasStopped(endpoint));
                } else if (roles.values().stream().noneMatch(each -> each.isStopping(endpoint))) {
                    any |= stopUnlessLed(endpoint);
                }
            }
            return any;
        }

        private void hasStopped(SmartLifecycle endpoint) {
            synchronized (awaited) {
                running.remove(endpoint);
            }
        }

        /** Whether its ordinary stop has not ended, as far as is known. */
        private boolean isStopping(SmartLifecycle endpoint) {
            synchronized (awaited) {
                return running.contains(endpoint);
            }
        }

        /** An endpoint that has been removed from the role meanwhile is left to the code that removed it. */
        private boolean stopUnlessLed(SmartLifecycle endpoint) {
            if (isLed(endpoint) || !has(endpoint)) {
                return false;
            }
            log.warn(
                    "The endpoint {} started after the leadership of its role '{}' had ended: stopping it",
                    Printable.text(nameOf(endpoint)),
                    Printable.name(role));
            run(endpoint, endpoint::stop);
            // A leadership may begin or end at any time, and the controller starts or stops the endpoint then.
            while (isLed(endpoint)) {
                run(endpoint, endpoint::start);
                if (isLed(endpoint)) {
                    break;
                }
                run(endpoint, endpoint::stop);
            }
            return true;
        }

        private boolean isLed(SmartLifecycle endpoint) {
            return roles.values().stream().anyMatch(each -> each.led && each.has(endpoint));
        }

        private static void run(SmartLifecycle endpoint, Runnable action) {
            try {
                action.run();
            } catch (Exception | Error failure) { // user code
                log.warn("The endpoint {} failed to start or stop", Printable.text(nameOf(endpoint)), failure);
            }
        }

        private static String nameOf(SmartLifecycle endpoint) {
            try {
                return String.valueOf(endpoint instanceof NamedComponent named ? named.getComponentName() : endpoint);
            } catch (Exception | Error failure) { // user code
                return endpoint.getClass().getName();
            }
        }

        /** One that does not know is looked at again. */
        private static boolean isRunning(SmartLifecycle endpoint) {
            try {
                return endpoint.isRunning();
            } catch (Exception | Error failure) { // user code
                log.debug("The endpoint {} does not say whether it runs", Printable.text(nameOf(endpoint)), failure);
                return false;
            }
        }
    }
}
