package io.paxoslease.node;

import io.paxoslease.NodeStartException;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.protocol.Printable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** Why a node cannot listen at its address, and what to do about it. */
final class ListenFailure {

    private ListenFailure() {}

    static NodeStartException explain(PaxosLeaseOptions options, IOException e) {
        String self = options.nodeId();
        InetSocketAddress own = options.allPeers().get(self);
        String host =
                Printable.name(options.bindHost() == null && own != null ? own.getHostString() : options.bindHost());
        int port = own == null ? 0 : own.getPort();
        if (e instanceof UnknownHostException) {
            return new NodeStartException(
                    "The host '%s' that node '%s' listens on does not resolve.".formatted(host, self),
                    "Correct its address in the peers, or set the bind host to an address of this machine, for instance 0.0.0.0.",
                    e);
        }
        String text = String.valueOf(e.getMessage());
        if (text.contains("in use")) {
            return new NodeStartException(
                    "Port %d of %s, where node '%s' listens, is already in use.".formatted(port, host, self),
                    "Stop the process that uses it, or give node '%s' another port in the peers of every node."
                            .formatted(self),
                    e);
        }
        return new NodeStartException(
                "Node '%s' cannot listen on %s port %d: %s.".formatted(self, host, port, Printable.text(text)),
                "Set the bind host to an address of this machine, for instance 0.0.0.0, or choose another port.",
                e);
    }
}
