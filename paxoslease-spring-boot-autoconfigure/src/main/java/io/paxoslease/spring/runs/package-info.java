/** Which runs of scheduled methods are finished, so that a new leader can make up for the latest one. */
@NullMarked
package io.paxoslease.spring.runs;

import org.jspecify.annotations.NullMarked;
