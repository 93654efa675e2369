package io.paxoslease.spring.test;

import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.spring.leader.LeaderElections;
import io.paxoslease.testing.InMemoryCell;
import java.time.Duration;
import java.util.Set;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Replaces the node by an in-memory node. */
@Configuration(proxyBeanMethods = false)
class TestLeadershipConfiguration {

    private static final String NODE_ID = "test";

    @Bean
    InMemoryCell paxosLeaseTestCell(Environment environment) {
        Duration leaseTime = duration(environment, "lease-time", PaxosLeaseOptions.DEFAULT_LEASE_TIME);
        Duration atLeast = leaseTime.compareTo(PaxosLeaseOptions.DEFAULT_MAX_LEASE_TIME) > 0
                ? leaseTime
                : PaxosLeaseOptions.DEFAULT_MAX_LEASE_TIME;
        Duration maxLeaseTime = duration(environment, "max-lease-time", atLeast);
        String id = nodeId(environment);
        InMemoryCell cell = InMemoryCell.of(leaseTime, maxLeaseTime, id, id + "-peer-1", id + "-peer-2");
        // Not in TestLeadership: with lazy initialization the node may start before there is one.
        TestLeadership.denyRoles(cell, id, Set.of());
        return cell;
    }

    /** Closed by its cell. */
    @Bean(destroyMethod = "")
    PaxosLease paxosLease(InMemoryCell cell, Environment environment) {
        return cell.node(nodeId(environment));
    }

    @Bean
    TestLeadership testLeadership(InMemoryCell cell, PaxosLease node, ObjectProvider<LeaderElections> elections) {
        return new TestLeadership(cell, node.monitor().options().nodeId(), elections);
    }

    private static String nodeId(Environment environment) {
        String id = environment.getProperty("paxoslease.node-id", NODE_ID);
        return id.isBlank() ? NODE_ID : id;
    }

    private static Duration duration(Environment environment, String property, Duration byDefault) {
        return Binder.get(environment)
                .bind("paxoslease." + property, Duration.class)
                .orElse(byDefault);
    }
}
