package io.paxoslease.spring.leader;

import java.net.URI;
import java.util.Optional;

/** Where the nodes of the cell serve HTTP. Thread-safe. */
@FunctionalInterface
public interface NodeUrls {

    /** The base URL of that node, without a slash at the end; empty if it is not configured. */
    Optional<URI> find(String nodeId);
}
