package io.paxoslease.spring.actuate;

import io.paxoslease.PaxosLease;
import io.paxoslease.monitor.NodeMonitor;
import io.paxoslease.monitor.NodeStatus;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.availability.ApplicationAvailabilityBean;
import org.springframework.boot.availability.AvailabilityState;
import org.springframework.boot.availability.ReadinessState;

/**
 * The application's availability, whose readiness also waits until the member votes: {@code REFUSING_TRAFFIC} while its acceptor is in
 * quarantine after a start, which ends by time alone. Otherwise as the application's events say; liveness always is. No event is published when
 * the quarantine ends. Thread-safe.
 */
final class MemberAvailability extends ApplicationAvailabilityBean {

    private final Supplier<Stream<PaxosLease>> nodes;
    private final StatusFigures figures = new StatusFigures(System::nanoTime);

    /** @param nodes of the application; they are asked for once it accepts traffic */
    MemberAvailability(Supplier<Stream<PaxosLease>> nodes) {
        this.nodes = nodes;
    }

    @Override
    public <S extends AvailabilityState> @Nullable S getState(Class<S> stateType) {
        S state = super.getState(stateType);
        return state == ReadinessState.ACCEPTING_TRAFFIC
                        && nodes.get().map(PaxosLease::monitor).anyMatch(this::isStarting)
                ? stateType.cast(ReadinessState.REFUSING_TRAFFIC)
                : state;
    }

    /** A node that does not answer keeps no application from its traffic. */
    private boolean isStarting(NodeMonitor node) {
        return figures.get(node, status -> isStarting(status) ? 1 : 0) == 1;
    }

    /** Whether it is a member that does not vote yet, for a time that is known. */
    static boolean isStarting(NodeStatus status) {
        NodeStatus.Quarantine quarantine = status.quarantine();
        return quarantine != null && quarantine.reason() == NodeStatus.Quarantine.Reason.STARTED;
    }
}
