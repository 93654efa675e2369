package io.paxoslease.storage;

import io.paxoslease.monitor.AlgorithmStatus;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a client has seen of the store that its leases are kept in. Times are those of the latest few hundred accesses, from when
 * the client asked until it had the answer.
 *
 * @param description what and where the store is
 * @param accessBound what every access is to take less than, see {@link StorageOptions#accessBound()}
 * @param accesses how many were answered since the start
 * @param median half of them took no longer
 * @param p99 99 in 100 took no longer
 * @param max none took longer; near the bound, raise it
 * @param near how many took more than half of the access bound since the start
 * @param slow how many took as long as the access bound, or longer, since the start
 * @param failed how many failed since the start
 * @param conflicts how often a live client was seen that has this one's node id, or another form or access bound, since the start
 * @param trouble what was wrong with the latest access: it failed, took too long, or has had no answer; null when it was answered in
 *     time, and when nothing has been asked for a minute
 * @param problem why this client contends for nothing at present; null when it does
 * @param missing the parts of the store that it does without at present, and what is wrong with each; see {@link io.paxoslease.store.Register#missing}
 */
public record StoreStatus(
        String description,
        Duration accessBound,
        long accesses,
        Duration median,
        Duration p99,
        Duration max,
        long near,
        long slow,
        long failed,
        long conflicts,
        @Nullable String trouble,
        @Nullable String problem,
        Map<String, String> missing)
        implements AlgorithmStatus {}
