/** Runs leases in shared storage on a node. Internal. */
@NullMarked
package io.paxoslease.node.storage;

import org.jspecify.annotations.NullMarked;
