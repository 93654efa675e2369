/** Runs Flease on a node. Internal. */
@NullMarked
package io.paxoslease.node.flease;

import org.jspecify.annotations.NullMarked;
