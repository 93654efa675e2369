package io.paxoslease.protocol;

/** Where a proposer puts what it wants done. */
interface Outbox {

    void send(NodeId to, Message message);

    void emit(Effect effect);
}
