/** Whole cells of production nodes on simulated clocks, loops and links, and the checker that judges them. */
@NullMarked
package io.paxoslease.simulation;

import org.jspecify.annotations.NullMarked;
