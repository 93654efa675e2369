/** Agreement on one value by way of shared storage: ranked registers, a leader oracle, and consensus from the two. */
@NullMarked
package io.paxoslease.consensus;

import org.jspecify.annotations.NullMarked;
