package io.paxoslease.spring.actuate;

import io.paxoslease.GenerationOptions;
import io.paxoslease.Membership;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.protocol.Printable;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/** The members of a cell, as one node and the store of the members know them. */
record MembersDescriptor(
        String node,
        String cell,
        @Nullable MembershipDescriptor membership,
        @Nullable StoreDescriptor store) implements OperationResponseBody {

    static MembersDescriptor of(NodeStatus status, @Nullable MembershipStoreProbe store) {
        return new MembersDescriptor(
                status.nodeId(),
                status.cell(),
                MembershipDescriptor.ofAny(status),
                store == null ? null : StoreDescriptor.of(store));
    }

    record StoreDescriptor(
            String description,
            @Nullable GenerationDescriptor stored,
            @Nullable String problem) {

        private static StoreDescriptor of(MembershipStoreProbe store) {
            MembershipStoreProbe.Result result = store.result(LeasesEndpoint.FRESH, LeasesEndpoint.STORE_PATIENCE);
            Membership stored = result.stored();
            return new StoreDescriptor(
                    store.describe(), stored == null ? null : GenerationDescriptor.of(stored), result.problem());
        }
    }

    record GenerationDescriptor(
            int generation,
            Map<String, String> peers,
            long maxLeaseTimeMillis,
            double clockDrift,
            @Nullable Map<String, String> previousPeers) {

        static GenerationDescriptor of(Membership membership) {
            GenerationOptions.Previous previous = membership.generation().previous();
            return new GenerationDescriptor(
                    membership.generation().number(),
                    texts(membership.peers()),
                    membership.maxLeaseTime().toMillis(),
                    membership.clockDrift(),
                    previous == null ? null : texts(previous.peers()));
        }

        private static Map<String, String> texts(Map<String, InetSocketAddress> peers) {
            Map<String, String> texts = new LinkedHashMap<>();
            peers.forEach(
                    (id, address) -> texts.put(id, Printable.address(address.getHostString(), address.getPort())));
            return texts;
        }
    }

    record ChangeDescriptor(GenerationDescriptor stored, String watch) implements OperationResponseBody {

        static ChangeDescriptor of(Membership stored) {
            int number = stored.generation().number();
            return new ChangeDescriptor(
                    GenerationDescriptor.of(stored),
                    "GET this path: generation %d decides alone once membership.sealed is %d, and then a member that has left can be stopped"
                            .formatted(number, number));
        }
    }

    record RefusalDescriptor(String error) implements OperationResponseBody {}
}
