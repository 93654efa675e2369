package io.paxoslease.transport.netty;

import io.paxoslease.ConnectionRefusal;
import io.paxoslease.transport.Rejection;

/** Rejections of a handshake as reasons that users are shown. */
final class Refusals {

    private Refusals() {}

    /** The reason of the same name. */
    static ConnectionRefusal of(Rejection.Reason reason) {
        return ConnectionRefusal.valueOf(reason.name());
    }
}
