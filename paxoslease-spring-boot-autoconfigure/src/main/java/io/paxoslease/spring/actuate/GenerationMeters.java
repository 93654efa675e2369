package io.paxoslease.spring.actuate;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.paxoslease.monitor.MembershipStatus;
import io.paxoslease.monitor.NodeMonitor;
import io.paxoslease.monitor.NodeStatus;

/** The meters of changes of the members. A change is over when every node shows one number in both. */
final class GenerationMeters {

    private GenerationMeters() {}

    static void bind(NodeMonitor node, StatusFigures figures, MeterRegistry registry, Tags tags) {
        Gauge.builder("paxoslease.generation", node, each -> each.options()
                        .generation()
                        .number())
                .description("Generation of the cell that this node is configured with")
                .tags(tags)
                .register(registry);
        Gauge.builder("paxoslease.generation.sealed", node, each -> figures.get(each, GenerationMeters::sealed))
                .description("Highest generation of the cell that this node knows to be sealed; NaN if unknown")
                .tags(tags)
                .register(registry);
    }

    /** Whether a member before a change is expected to be away, because the change is sealed. */
    static boolean hasLeft(NodeStatus status, String id) {
        MembershipStatus membership = status.membership();
        return membership != null
                && membership.mode() == MembershipStatus.Mode.SEALED
                && !membership.members().contains(id);
    }

    private static double sealed(NodeStatus status) {
        MembershipStatus membership = status.membership();
        return membership == null ? Double.NaN : membership.sealed();
    }
}
