/**
 * Leases, leader election and locks among the members of a cell, on PaxosLease.
 *
 * <p>{@link io.paxoslease.PaxosLease} is one node of the cell. It hands out {@link io.paxoslease.Lease}s;
 * {@link io.paxoslease.locks.LeaseLocks} and {@link io.paxoslease.election.LeaderElection} are built on them.
 */
@NullMarked
package io.paxoslease;

import org.jspecify.annotations.NullMarked;
