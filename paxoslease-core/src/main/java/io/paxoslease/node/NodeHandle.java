package io.paxoslease.node;

/** What applications hold of a node, for locks and elections: the one implementation of {@link io.paxoslease.PaxosLease} is one. */
public interface NodeHandle {

    LocalNode node();
}
