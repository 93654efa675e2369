/**
 * Internal: watches: who holds which leases, told by the members as it changes. Pure. What a watch tells is advice: no lease rests on it.
 * Section 10 of {@code docs/protocol.md}.
 */
@NullMarked
package io.paxoslease.protocol.watch;

import org.jspecify.annotations.NullMarked;
