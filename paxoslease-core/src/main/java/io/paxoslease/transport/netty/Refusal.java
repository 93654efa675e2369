package io.paxoslease.transport.netty;

import io.paxoslease.transport.Rejection;

/** Why a connection came to nothing. The names are those of {@code io.paxoslease.ConnectionRefusal}, which documents them. */
public enum Refusal {
    NOT_TLS,
    UNEXPECTED_TLS,
    NO_CERTIFICATE,
    UNTRUSTED_CERTIFICATE,
    EXPIRED_CERTIFICATE,
    HOST_NAME,
    NODE_ID_MISMATCH,
    TLS_FAILED,
    VERSION,
    CELL,
    NOT_A_MEMBER,
    WRONG_NODE,
    CONFIGURATION,
    DUPLICATE_NODE,
    MALFORMED,
    HANDSHAKE_TIMEOUT,
    TOO_MANY_CONNECTIONS,
    BY_PEER,
    BY_SERVING_PEER,
    FAULT;

    static Refusal of(Rejection.Reason reason) {
        return valueOf(reason.name());
    }
}
