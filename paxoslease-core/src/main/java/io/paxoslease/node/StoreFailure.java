package io.paxoslease.node;

import io.paxoslease.ActionableException;
import io.paxoslease.NodeStartException;
import io.paxoslease.protocol.Printable;

/** A node that does not start, because its store cannot be used. */
public final class StoreFailure {

    private StoreFailure() {}

    /**
     * What the store says to do comes before what is said of any store.
     *
     * @param what cannot be done, without the reason
     * @param cause the reason
     * @param action what to do in general
     */
    public static NodeStartException of(String what, Exception cause, String action) {
        return cause instanceof ActionableException advised
                ? new NodeStartException(what + ": " + advised.description() + ".", advised.action(), cause)
                : new NodeStartException(what + ": " + Printable.text(cause.getMessage()) + ".", action, cause);
    }
}
