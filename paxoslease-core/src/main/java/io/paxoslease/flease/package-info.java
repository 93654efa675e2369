/** Flease: leases among nodes whose wall clocks are loosely synchronised. */
@NullMarked
package io.paxoslease.flease;

import org.jspecify.annotations.NullMarked;
