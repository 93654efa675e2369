package io.paxoslease.node;

import io.paxoslease.LeaseTimeoutException;
import io.paxoslease.PaxosLeaseException;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Printable;

/** What a user is told whose request for a lease is not granted. */
final class RefusedRequest {

    private RefusedRequest() {}

    /** Why the request was denied, and what to do about it. */
    static PaxosLeaseException explain(Effect.Denied denied) {
        String resource = Printable.name(denied.resource());
        NodeId holder = denied.holder();
        String by = holder == null ? "" : "; last known to be held by node '" + holder + "'";
        return switch (denied.reason()) {
            case HELD -> new LeaseTimeoutException("Lease '%s' is held%s".formatted(resource, by));
            case NO_MAJORITY ->
                new LeaseTimeoutException(
                        "Lease '%s' was not granted: no majority of the cell answered".formatted(resource));
            case CONTENDED ->
                new LeaseTimeoutException("Lease '%s' was not granted: others want it too".formatted(resource));
            case TIMED_OUT -> new LeaseTimeoutException("Lease '%s' was not granted in time%s".formatted(resource, by));
            case REFUSED ->
                new PaxosLeaseException(
                        "Lease '%s' is refused by the cell: its lease time is out of bounds".formatted(resource));
            case TOO_MANY ->
                new PaxosLeaseException(
                        "Lease '%s' is refused by the members: they keep 100,000 leases of one client, and this client has as many. Release some, or divide the work among more clients"
                                .formatted(resource));
            case STOPPED -> stopped();
            case NO_STORE ->
                new LeaseTimeoutException(
                        "Lease '%s' was not granted: the store did not answer, or not within the access bound"
                                .formatted(resource));
            case UNREADABLE ->
                new PaxosLeaseException(
                        "Lease '%s' cannot be had: its register has something that no client of this version wrote, see the log"
                                .formatted(resource));
            case DUPLICATE ->
                new PaxosLeaseException(
                        "Lease '%s' is not asked for: another client with this node's id is alive. Give every client an id of its own (paxoslease.node-id), and restart this one"
                                .formatted(resource));
            case INCOMPATIBLE ->
                new PaxosLeaseException(
                        "Lease '%s' is not asked for: another client of the store is alive that is set up otherwise, see the log. Stop all clients, and start them with one write mode and one access bound (paxoslease.storage.write-mode, paxoslease.storage.access-bound)"
                                .formatted(resource));
        };
    }

    /** The client does not know the members yet. */
    static LeaseTimeoutException joining(String resource) {
        return new LeaseTimeoutException("Lease '%s' was not granted: no contact point has said yet who the members are"
                .formatted(Printable.name(resource)));
    }

    /** There is no node to ask. */
    static PaxosLeaseException stopped() {
        return new PaxosLeaseException("This PaxosLease node is not running: start it first");
    }
}
