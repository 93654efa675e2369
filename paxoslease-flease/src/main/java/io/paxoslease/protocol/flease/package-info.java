/** Internal: Flease, for nodes whose wall clocks are loosely synchronised. Pure, as {@link io.paxoslease.protocol}. */
@NullMarked
package io.paxoslease.protocol.flease;

import org.jspecify.annotations.NullMarked;
