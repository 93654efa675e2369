package io.paxoslease.monitor;

/** Why a connection between nodes, or with a stranger, came to nothing. {@code docs/security.md} has the log line of each. */
public enum ConnectionRefusal {

    /** It spoke something else than TLS to a node with TLS. */
    NOT_TLS,
    /** It spoke TLS to a node without TLS. */
    UNEXPECTED_TLS,
    /** It showed no certificate. */
    NO_CERTIFICATE,
    /** Its certificate is not of a CA that this node trusts. */
    UNTRUSTED_CERTIFICATE,
    /** Its certificate has expired, or is not valid yet. */
    EXPIRED_CERTIFICATE,
    /** Its certificate is not made out to the host that this node called. */
    HOST_NAME,
    /** Its certificate does not name the node that it says it is. */
    NODE_ID_MISMATCH,
    /** TLS failed otherwise: no common protocol or cipher suite, or a fault. */
    TLS_FAILED,
    /** It speaks another version of the wire format. */
    VERSION,
    /** It is of another cell. */
    CELL,
    /** It is no member of the cell. */
    NOT_A_MEMBER,
    /** It means another node, or is another one than the one that was called. */
    WRONG_NODE,
    /** It is configured differently: members, maximum lease time or clock drift. */
    CONFIGURATION,
    /** Another process with its node id is connected. */
    DUPLICATE_NODE,
    /** It is a client, and this member has as many as it admits: it may try again. */
    BUSY,
    /** It is a client, and this member admits none. */
    CLIENTS_REFUSED,
    /** It sent what is no frame of the protocol, or too much before it introduced itself. */
    MALFORMED,
    /** It did not introduce itself in time. */
    HANDSHAKE_TIMEOUT,
    /** It was the oldest of too many that had not introduced themselves. */
    TOO_MANY_CONNECTIONS,
    /** The other side refused this node: its log says why. */
    BY_PEER,
    /** The other side serves, and refused this node because they are configured differently: this node has to be changed, or to wait. */
    BY_SERVING_PEER,
    /** A fault of this node. */
    FAULT
}
