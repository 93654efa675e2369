package io.paxoslease.transport.netty;

import org.jspecify.annotations.Nullable;

/** Brings a link's connections up to the TLS set-up of now, after a reload. On the event loop. */
final class LinkRenewal {

    private final PeerLink link;
    private int staleSeconds;

    LinkRenewal(PeerLink link) {
        this.link = link;
    }

    /** Once a second: old connections end when no new ones take their place for so long. */
    void tick(long graceSeconds) {
        staleSeconds = link.isStale(link.outbound) || link.isStale(link.inbound) ? staleSeconds + 1 : 0;
        if (staleSeconds > graceSeconds) {
            staleSeconds = 0;
            link.transport.log.warn(
                    link.id.name(),
                    null,
                    "could not reconnect to peer '%s' after the TLS reload: its old connections end"
                            .formatted(link.id));
            end(link.outbound);
            end(link.inbound);
        }
    }

    private void end(@Nullable Connection connection) {
        if (connection != null && link.isStale(connection)) {
            connection.close();
        }
    }

    /** Replaces connections from before the TLS reload: first the outbound one, then the inbound one. */
    void renew() {
        Connection inbound = link.inbound;
        Connection outbound = link.outbound;
        if (link.isStale(outbound)) {
            if (link.successor == null) { // else one is under way, which may take longer than this comes round
                link.dialer.dial();
            }
        } else if (inbound != null && link.isStale(inbound) && outbound != null && outbound.isReady()) {
            inbound.close(); // the peer makes it again; the other stands in meanwhile
        }
    }
}
