/**
 * Watches: who holds which leases, told by the members as it changes ({@link io.paxoslease.PaxosLease#watch}). What a watch tells is advice: only
 * {@link io.paxoslease.Lease#isHeld} says that this node holds a lease.
 */
@NullMarked
package io.paxoslease.watch;

import org.jspecify.annotations.NullMarked;
