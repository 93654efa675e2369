/**
 * Internal: PaxosLease, the algorithm. Pure, as {@link io.paxoslease.protocol}. Which classes exclusion rests on, and which are
 * advice, is in {@code docs/architecture.md}.
 */
@NullMarked
package io.paxoslease.protocol.paxos;

import org.jspecify.annotations.NullMarked;
