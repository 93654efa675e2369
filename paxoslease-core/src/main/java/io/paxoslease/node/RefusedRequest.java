package io.paxoslease.node;

import io.paxoslease.LeaseTimeoutException;
import io.paxoslease.PaxosLeaseException;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Printable;
import org.jspecify.annotations.Nullable;

/** What a user is told whose request for a lease is not granted. */
final class RefusedRequest {

    private RefusedRequest() {}

    /**
     * Why the request was denied, and what to do about it.
     *
     * @param store what is wrong with the store; null: nothing, or there is none
     */
    static PaxosLeaseException explain(Effect.Denied denied, @Nullable String store) {
        String text = "Lease '%s' %s".formatted(Printable.name(denied.resource()), words(denied));
        return switch (denied.reason()) {
            case HELD, NO_MAJORITY, CONTENDED, RESTORED -> new LeaseTimeoutException(text);
            case TIMED_OUT, NO_STORE -> new LeaseTimeoutException(text + ofStore(store));
            case REFUSED, TOO_MANY, UNREADABLE, DUPLICATE, INCOMPATIBLE -> new PaxosLeaseException(text);
            case STOPPED -> stopped();
        };
    }

    /** The time to wait was over before there was an answer. */
    static LeaseTimeoutException late(String resource, @Nullable String store) {
        return new LeaseTimeoutException(
                "Lease '%s' was not granted in time".formatted(Printable.name(resource)) + ofStore(store));
    }

    /** The end of a sentence about a request that was not granted. */
    static String ofStore(@Nullable String trouble) {
        return trouble == null ? "" : "; the store: " + Printable.text(trouble);
    }

    private static String words(Effect.Denied denied) {
        NodeId holder = denied.holder();
        String by = holder == null ? "" : "; last known to be held by node '" + holder + "'";
        return switch (denied.reason()) {
            case HELD -> "is held" + by;
            case NO_MAJORITY -> "was not granted: no majority of the cell answered";
            case CONTENDED -> "was not granted: others want it too";
            case TIMED_OUT -> "was not granted in time" + by;
            case REFUSED -> "is refused by the cell: its lease time is out of bounds";
            case TOO_MANY ->
                "is refused by the members: they keep 100,000 leases of one client, and as many as fit into its part of their heaps. Release some, divide the work among more clients, or give the members more heap";
            case STOPPED -> "was not granted: the node has stopped";
            case NO_STORE -> "was not granted: the store did not answer, or not within the access bound";
            case UNREADABLE ->
                "cannot be had: its register has something that no client of this version wrote, see the log";
            case DUPLICATE ->
                "is not asked for: another client with this node's id is alive. Give every client an id of its own, and restart this one";
            case RESTORED ->
                "is not asked for: its store has lost writes, see the log. It can be acquired again when the longest lease has expired";
            case INCOMPATIBLE ->
                "is not asked for: another client of the store has other settings, see the log. Stop all clients, and start them with the same settings";
        };
    }

    /** The client does not know the members yet. */
    static LeaseTimeoutException joining(String resource) {
        return new LeaseTimeoutException("Lease '%s' was not granted: no contact point has said yet who the members are"
                .formatted(Printable.name(resource)));
    }

    /** There is no node to ask. */
    static PaxosLeaseException stopped() {
        return new PaxosLeaseException(
                "This PaxosLease node is not running: start it first. In a Spring application it starts when all beans have been created, and stops before they are destroyed");
    }
}
