/**
 * Internal: PaxosLease, the algorithm. Pure, as {@link io.paxoslease.protocol}. Which classes exclusion rests on, and which are
 * advice, is in {@code docs/architecture.md}. Rules and sections are those of {@code docs/protocol.md}. In short:
 *
 * <ul>
 *   <li>P0: counters grow within an incarnation and resource. P1: the deadline is fixed before anything is sent. P2: an attempt proposes
 *       at once, or after a majority has promised. P3: a majority of distinct acceptors, before the deadline. P4: an extension takes the
 *       later deadline. P5: only answers to this very round count. P6: the holder stops first, and releases then. P7: what nothing
 *       rests on is released.
 *   <li>A0: silence without memory. A1: a prepare only promises. A2: no live lease of another incarnation is replaced. A3: a release
 *       drops the own record, up to its counter. A4: an extension creates nothing. A5: only what is not live is forgotten.
 * </ul>
 */
@NullMarked
package io.paxoslease.protocol.paxos;

import org.jspecify.annotations.NullMarked;
