package io.paxoslease.protocol;

/** Where a proposer puts what it wants done. */
interface Outbox {

    void send(NodeId to, Message message);

    /** So many effects follow. */
    void expect(int effects);

    void emit(Effect effect);
}
