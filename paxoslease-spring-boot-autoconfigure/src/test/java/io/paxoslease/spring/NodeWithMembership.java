package io.paxoslease.spring;

import io.paxoslease.MembershipStatus;
import io.paxoslease.NodeStatus;
import io.paxoslease.PaxosLease;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/** A node whose status says something else of the members of its cell. */
public final class NodeWithMembership {

    private NodeWithMembership() {}

    public static PaxosLease of(PaxosLease node, MembershipStatus membership) {
        return (PaxosLease) Proxy.newProxyInstance(
                PaxosLease.class.getClassLoader(), new Class<?>[] {PaxosLease.class}, (proxy, method, args) -> {
                    try {
                        Object result = method.invoke(node, args);
                        return result instanceof NodeStatus status ? with(status, membership) : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static NodeStatus with(NodeStatus status, MembershipStatus membership) {
        return new NodeStatus(
                status.nodeId(),
                status.cell(),
                status.incarnation(),
                status.state(),
                status.quarantine(),
                status.clocks(),
                status.leaseTime(),
                status.maxLeaseTime(),
                status.peers(),
                status.otherConfiguration(),
                status.store(),
                status.mode(),
                status.clients(),
                membership);
    }
}
