/** The one thread of a node: event, step, effects; and the only readings of the clocks. */
@NullMarked
package io.paxoslease.runtime;

import org.jspecify.annotations.NullMarked;
