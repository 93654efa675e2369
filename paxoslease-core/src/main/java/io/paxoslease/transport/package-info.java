/** Internal: how messages travel between nodes, and their binary form. */
@NullMarked
package io.paxoslease.transport;

import org.jspecify.annotations.NullMarked;
