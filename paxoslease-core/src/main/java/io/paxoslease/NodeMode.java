package io.paxoslease;

/** What a node is to its cell. */
public enum NodeMode {
    /** One of the peers: it votes, remembers and listens, and it asks for leases. */
    MEMBER,
    /** It only asks for leases: it connects to the members, and listens nowhere. Any number of clients may come and go. */
    CLIENT,
    /** A member if its id is one of the peers, else a client: so that one configuration does for all instances. */
    AUTO
}
