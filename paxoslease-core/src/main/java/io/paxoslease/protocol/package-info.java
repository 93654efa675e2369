/**
 * Internal: what every algorithm shares: events, effects, moments, timing, requests, timers, the configuration guard. Pure: no
 * clock, no thread, no future, no logger. Time comes in as an argument, messages are values. Section numbers in the javadoc of
 * this package and of {@link io.paxoslease.protocol.paxos} are those of {@code docs/protocol.md}.
 */
@NullMarked
package io.paxoslease.protocol;

import org.jspecify.annotations.NullMarked;
