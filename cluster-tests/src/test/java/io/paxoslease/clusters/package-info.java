/** Cells of containers, what is done to them, and the judge of what they did. */
@NullMarked
package io.paxoslease.clusters;

import org.jspecify.annotations.NullMarked;
