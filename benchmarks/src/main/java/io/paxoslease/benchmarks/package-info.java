/** Benchmarks in plain Java: each prints what it measured, beside the floor under it where there is one. */
@NullMarked
package io.paxoslease.benchmarks;

import org.jspecify.annotations.NullMarked;
