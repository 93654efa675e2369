/** Internal: one running node with its thread, clocks, table of leases, restarts and what it shows of itself. */
@NullMarked
package io.paxoslease.node;

import org.jspecify.annotations.NullMarked;
