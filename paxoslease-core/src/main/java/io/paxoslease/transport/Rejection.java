package io.paxoslease.transport;

import org.jspecify.annotations.Nullable;

/**
 * Why a connection is refused.
 *
 * @param reason the kind
 * @param text one sentence for the operator of the refused node: what to change
 * @param refuser what the refusing node runs, told when that is the reason; else null
 */
public record Rejection(
        Reason reason, String text, @Nullable Refuser refuser) {

    /**
     * The node that refuses.
     *
     * @param hello how it introduces itself
     * @param serves whether its acceptor answers: then it is the refused node that has to wait
     */
    public record Refuser(Hello hello, boolean serves) {}

    /** Of a node that says no more of itself. */
    public Rejection(Reason reason, String text) {
        this(reason, text, null);
    }

    /** Whether what the two nodes run is the reason. */
    public boolean isOfConfiguration() {
        return reason == Reason.CONFIGURATION || reason == Reason.NOT_A_MEMBER;
    }

    /** The kinds of refusal. */
    public enum Reason {
        VERSION(1),
        CELL(2),
        NOT_A_MEMBER(3),
        WRONG_NODE(4),
        CONFIGURATION(5),
        DUPLICATE_NODE(6),
        NODE_ID_MISMATCH(7);

        private final int code;

        Reason(int code) {
            this.code = code;
        }

        /** Its number in the wire format. */
        int code() {
            return code;
        }

        static @Nullable Reason of(int code) {
            for (Reason reason : values()) {
                if (reason.code == code) {
                    return reason;
                }
            }
            return null;
        }
    }
}
