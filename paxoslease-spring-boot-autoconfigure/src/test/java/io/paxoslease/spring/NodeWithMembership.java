package io.paxoslease.spring;

import io.paxoslease.MembershipStore;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.monitor.MembershipStatus;
import io.paxoslease.monitor.NodeMonitor;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.monitor.PeerStatus;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A node that says something else of the members of its cell. */
public final class NodeWithMembership {

    private NodeWithMembership() {}

    public static NodeMonitor of(PaxosLease node, MembershipStatus membership) {
        return of(node, membership, null);
    }

    /** The same for one that says something else of its peers, too, unless that is null. */
    public static NodeMonitor of(PaxosLease node, MembershipStatus membership, @Nullable List<PeerStatus> peers) {
        return (NodeMonitor) Proxy.newProxyInstance(
                NodeMonitor.class.getClassLoader(), new Class<?>[] {NodeMonitor.class}, (proxy, method, args) -> {
                    if (peers != null && method.getName().equals("peers")) {
                        return peers;
                    }
                    try {
                        Object result = method.invoke(node.monitor(), args);
                        return result instanceof NodeStatus status ? with(status, membership) : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** The same for one that has a store of the members. */
    public static NodeMonitor storedIn(MembershipStore store, NodeMonitor node) {
        PaxosLeaseOptions options = PaxosLeaseOptions.builder(node.options().nodeId())
                .peers(Map.of(node.options().nodeId(), "localhost:1", "b", "localhost:2", "c", "localhost:3"))
                .membershipStore(store)
                .build();
        return (NodeMonitor) Proxy.newProxyInstance(
                NodeMonitor.class.getClassLoader(), new Class<?>[] {NodeMonitor.class}, (proxy, method, args) -> {
                    if (method.getName().equals("options")) {
                        return options;
                    }
                    try {
                        return method.invoke(node, args);
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
                status.algorithm(),
                status.mode(),
                status.clients(),
                membership);
    }
}
