/**
 * Internal: which instance should own which shard of a group, and when an instance may act on that. Pure: values, collections and
 * arithmetic; time comes in as a {@link io.paxoslease.protocol.Moment}. Advice: a shard is a lease, and only the cell decides who
 * holds it. A wrong, late or forged view costs a move or a wait, never two owners. Decision 64 has the rules S2 to S11 that the
 * javadoc here names.
 *
 * <ul>
 *   <li>{@link io.paxoslease.shards.plan.Plan} is a function of participants, owners and shards: equal views give equal plans.
 *   <li>{@link io.paxoslease.shards.plan.Participation} is one instance's part in one group: events and a time in, decisions out.
 * </ul>
 */
@NullMarked
package io.paxoslease.shards.plan;

import org.jspecify.annotations.NullMarked;
