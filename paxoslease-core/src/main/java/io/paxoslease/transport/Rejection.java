package io.paxoslease.transport;

import org.jspecify.annotations.Nullable;

/**
 * Why a connection is refused.
 *
 * @param reason the kind
 * @param text one sentence for the operator of the refused node: what to change
 */
public record Rejection(Reason reason, String text) {

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
