/** Runs the threads of a test one at a time, in an order that a seed decides, and finds the orders that go wrong. */
@NullMarked
package io.paxoslease.interleaving;

import org.jspecify.annotations.NullMarked;
