/** A whole cell in memory, on a clock that a test moves. */
@NullMarked
package io.paxoslease.testing;

import org.jspecify.annotations.NullMarked;
