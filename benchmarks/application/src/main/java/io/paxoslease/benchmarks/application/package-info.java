/** An application, whose costs are measured with the starter and without it. */
@NullMarked
package io.paxoslease.benchmarks.application;

import org.jspecify.annotations.NullMarked;
