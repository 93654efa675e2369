/**
 * Groups of shards: work in pieces, spread evenly over the instances that participate, each piece on exactly one of them
 * ({@link io.paxoslease.shards.ShardGroup}). A shard is a lease; who should own which is advice, worked out by each instance for itself
 * ({@link io.paxoslease.shards.plan}).
 */
@NullMarked
package io.paxoslease.shards;

import org.jspecify.annotations.NullMarked;
