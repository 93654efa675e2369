package io.paxoslease.protocol;

/** Takes messages that are to be sent. */
@FunctionalInterface
public interface MessageSink {

    void send(NodeId to, Message message);
}
