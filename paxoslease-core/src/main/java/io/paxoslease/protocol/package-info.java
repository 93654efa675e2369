/**
 * Internal: PaxosLease itself, and what every algorithm shares. Pure: no clock, no thread, no future, no logger. Time comes in as
 * an argument, messages are values. Section numbers in this package's javadoc are those of {@code docs/protocol.md}.
 */
@NullMarked
package io.paxoslease.protocol;

import org.jspecify.annotations.NullMarked;
