/**
 * Leader election for Spring applications: {@link io.paxoslease.spring.leader.OnLeader} on the methods that only the
 * leader may run, {@link io.paxoslease.spring.leader.LeaderElections} to query leaders, and
 * {@link io.paxoslease.spring.leader.PaxosLeaseLeaderInitiator} for Spring Integration's candidates and events. Only
 * the last needs {@code spring-integration-core}.
 */
@NullMarked
package io.paxoslease.spring.leader;

import org.jspecify.annotations.NullMarked;
