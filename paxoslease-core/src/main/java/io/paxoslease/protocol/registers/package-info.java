/**
 * Internal: numbers that only grow, which the members remember in memory for every algorithm. Advice: no lease rests on them. Pure, as
 * {@link io.paxoslease.protocol}.
 */
@NullMarked
package io.paxoslease.protocol.registers;

import org.jspecify.annotations.NullMarked;
