package io.paxoslease.transport;

import io.paxoslease.monitor.ConnectionRefusal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Why a connection is refused.
 *
 * @param reason one of {@link #REASONS}; {@link ConnectionRefusal#BY_PEER} when the other side named one that this release does not know
 * @param text one sentence for the operator of the refused node: what to change
 * @param refuser what the refusing node runs, told when that is the reason; else null
 */
public record Rejection(
        ConnectionRefusal reason, String text, @Nullable Refuser refuser) {

    /** The reasons that are told to the other side: the code of the first one in the wire format is 1. */
    public static final List<ConnectionRefusal> REASONS = List.of(
            ConnectionRefusal.VERSION,
            ConnectionRefusal.CELL,
            ConnectionRefusal.NOT_A_MEMBER,
            ConnectionRefusal.WRONG_NODE,
            ConnectionRefusal.CONFIGURATION,
            ConnectionRefusal.DUPLICATE_NODE,
            ConnectionRefusal.NODE_ID_MISMATCH,
            ConnectionRefusal.BUSY,
            ConnectionRefusal.CLIENTS_REFUSED);

    /**
     * The node that refuses.
     *
     * @param hello how it introduces itself
     * @param serves whether its acceptor answers: then it is the refused node that has to wait
     */
    public record Refuser(Hello hello, boolean serves) {}

    /** Of a node that says no more of itself. */
    public Rejection(ConnectionRefusal reason, String text) {
        this(reason, text, null);
    }

    /** Whether what the two nodes run is the reason. */
    public boolean isOfConfiguration() {
        return reason == ConnectionRefusal.CONFIGURATION || reason == ConnectionRefusal.NOT_A_MEMBER;
    }
}
