package io.paxoslease.spring.leader;

import io.paxoslease.election.GuardedCall;
import io.paxoslease.protocol.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.aopalliance.aop.Advice;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationListener;
import org.springframework.core.Ordered;
import org.springframework.integration.endpoint.AbstractPollingEndpoint;
import org.springframework.integration.leader.event.OnGrantedEvent;
import org.springframework.integration.support.SmartLifecycleRoleController;

/**
 * Makes each poll of an endpoint in a role a guarded call of that role: a stop of an endpoint does not wait for its polls, but the release of the
 * role does. Adds the guard before the endpoints of a granted role are started. Registered by the auto-configuration.
 */
final class RolePollers implements ApplicationListener<OnGrantedEvent>, Ordered {

    private static final String ADVICE_CHAIN = "adviceChain";

    private static final Logger log = LoggerFactory.getLogger(RolePollers.class);

    private final ObjectProvider<LeaderElections> elections;
    private final ObjectProvider<SmartLifecycleRoleController> controllers;

    RolePollers(ObjectProvider<LeaderElections> elections, ObjectProvider<SmartLifecycleRoleController> controllers) {
        this.elections = elections;
        this.controllers = controllers;
    }

    /** Before the controller, which starts the endpoints. */
    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    public void onApplicationEvent(OnGrantedEvent event) {
        String role = event.getRole();
        LeaderElections known = elections.getIfAvailable();
        if (event.getSource() instanceof PaxosLeaseLeaderInitiator
                && known != null
                && known.roles().contains(role)) {
            controllers.forEach(controller -> guard(controller, known, role));
        }
    }

    /** Logs a failure instead of throwing it: an exception would keep the event from the controller. */
    private static void guard(SmartLifecycleRoleController controller, LeaderElections known, String role) {
        try {
            RoleMembers.of(controller, role).stream()
                    .filter(AbstractPollingEndpoint.class::isInstance)
                    .map(AbstractPollingEndpoint.class::cast)
                    .forEach(endpoint -> guardOf(endpoint, known).roles.add(role));
        } catch (Exception | Error failure) { // beans of the application are created here
            log.error(
                    "The polls of endpoints in the role '{}' are not all guarded: the next leader may not wait for their handlers",
                    Printable.name(role),
                    failure);
        }
    }

    /** The endpoint's guard, which goes around its other advice, such as transactions; it counts from the next start on. */
    private static PollGuard guardOf(AbstractPollingEndpoint endpoint, LeaderElections known) {
        List<Advice> chain = new ArrayList<>();
        if (new DirectFieldAccessor(endpoint).getPropertyValue(ADVICE_CHAIN) instanceof List<?> advices) {
            advices.forEach(advice -> chain.add((Advice) advice));
        }
        for (Advice advice : chain) {
            if (advice instanceof PollGuard guard) {
                return guard;
            }
        }
        PollGuard guard = new PollGuard(known);
        chain.add(0, guard);
        endpoint.setAdviceChain(chain);
        return guard;
    }

    /** Lets an endpoint poll while this node leads one of its roles; otherwise it finds no message. */
    private static final class PollGuard implements MethodInterceptor {

        private final Set<String> roles = ConcurrentHashMap.newKeySet();
        private final LeaderElections elections;

        PollGuard(LeaderElections elections) {
            this.elections = elections;
        }

        @Override
        public @Nullable Object invoke(MethodInvocation poll) throws Throwable {
            GuardedCall call = enter().orElse(null);
            if (call == null) {
                return null;
            }
            try (call) {
                return poll.proceed();
            }
        }

        /** Without an interrupt: the stop of the endpoint interrupts a poll on the scheduler's thread. */
        private Optional<GuardedCall> enter() {
            return roles.stream()
                    .map(role -> elections.enter(role, false))
                    .flatMap(Optional::stream)
                    .findFirst();
        }
    }
}
