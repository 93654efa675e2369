package io.paxoslease.protocol.storage;

import org.jspecify.annotations.Nullable;

/**
 * What a client has seen of its store, for people and monitoring. Times are in nanoseconds, and of the latest few hundred accesses.
 *
 * @param description what and where it is
 * @param accessNanos delta
 * @param count how many accesses were answered since the start
 * @param medianNanos half of them took no longer
 * @param p99Nanos 99 in 100 took no longer
 * @param maxNanos none took longer
 * @param near how many took more than half of delta since the start
 * @param slow how many took delta or longer since the start
 * @param failed how many were answered with a failure since the start
 * @param conflicts how often a stamp was seen of a live client with this one's id, or that is set up otherwise, since the start
 * @param trouble what was wrong with the latest access: it failed, took too long, or has had no answer; null when it was answered in
 *     time, and when nothing has been asked for a minute
 * @param problem why this client contends for nothing at present; null when it does
 */
public record StoreView(
        String description,
        long accessNanos,
        long count,
        long medianNanos,
        long p99Nanos,
        long maxNanos,
        long near,
        long slow,
        long failed,
        long conflicts,
        @Nullable String trouble,
        @Nullable String problem) {}
