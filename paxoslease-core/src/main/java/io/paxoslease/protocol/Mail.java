package io.paxoslease.protocol;

/** Takes what an acceptor has to say to whom. */
@FunctionalInterface
interface Mail {

    void put(NodeId to, Message message);
}
