/** Leader election: candidates, their leaderships, and calls that only the leader makes. */
@NullMarked
package io.paxoslease.election;

import org.jspecify.annotations.NullMarked;
