package io.paxoslease.node;

import io.paxoslease.LossReason;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Moment;
import java.time.Duration;

/** Tells a node's observers what became of its leases and requests. Losses by any thread, all else by the node's. */
record LeaseReporter(NodeClock clock, Observers observers, Losses losses) {

    void acquired(Effect.Granted granted, HeldLease lease, OpenRequests.Request request) {
        if (!observers.isEmpty()) {
            Duration waited = between(request.askedAt, lease.grantedAt);
            Duration took = between(granted.askedAt(), lease.grantedAt);
            observers.tell(observer -> {
                observer.agreed(granted.resource(), false, took);
                observer.acquired(granted.resource(), waited);
            });
        }
    }

    void notAcquired(OpenRequests.Request request) {
        Duration waited = since(request.askedAt);
        observers.tell(observer -> observer.notAcquired(request.resource, waited));
    }

    void extended(Effect.Extended extended) {
        if (!observers.isEmpty()) {
            Duration took = since(extended.askedAt());
            observers.tell(observer -> observer.agreed(extended.resource(), true, took));
        }
    }

    void extendedTogether(Effect.ExtendedTogether extended) {
        if (!observers.isEmpty()) {
            Duration took = since(extended.askedAt());
            observers.tell(
                    observer -> observer.agreedTogether(extended.tenures().resources(), took));
        }
    }

    void lost(HeldLease lease, LossReason reason) {
        Moment now = clock.read().moment();
        losses.add(lease.resource(), reason, lease.fencingToken(), now);
        observers.tell(observer -> observer.lost(lease.resource(), reason));
    }

    private Duration since(Moment from) {
        return between(from, clock.read().moment());
    }

    private static Duration between(Moment from, Moment to) {
        return Duration.ofNanos(Math.max(0, from.nanosUntil(to)));
    }
}
