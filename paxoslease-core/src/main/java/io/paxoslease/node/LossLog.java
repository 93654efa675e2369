package io.paxoslease.node;

import io.paxoslease.LossReason;
import io.paxoslease.protocol.Printable;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says which leases were lost: the first one at once, and what follows for the same reason within a second in one line, since
 * a lost majority ends every lease of a node at a time. Of the node's thread.
 */
final class LossLog {

    private static final Logger log = LoggerFactory.getLogger(LossLog.class);
    private static final long GATHERED_SECONDS = 1;
    private static final int NAMED = 5;

    private final String nodeId;
    private final ScheduledExecutorService loop;
    private final Map<LossReason, List<String>> gathered = new EnumMap<>(LossReason.class);
    private final Map<LossReason, Integer> counts = new EnumMap<>(LossReason.class);

    LossLog(String nodeId, ScheduledExecutorService loop) {
        this.nodeId = nodeId;
        this.loop = loop;
    }

    void lost(String resource, LossReason reason, long token) {
        if (counts.containsKey(reason)) {
            counts.merge(reason, 1, Integer::sum);
            List<String> names = gathered.get(reason);
            if (names != null && names.size() < NAMED) {
                names.add(Printable.name(resource));
            }
            return;
        }
        String name = Printable.name(resource);
        log.atWarn()
                .addKeyValue("node", nodeId)
                .addKeyValue("resource", name)
                .addKeyValue("reason", reason)
                .addKeyValue("fencingToken", token)
                .log("Node '{}' lost lease '{}' (fencing token {}): {}", nodeId, name, token, reason);
        counts.put(reason, 0);
        gathered.put(reason, new ArrayList<>(NAMED));
        try {
            loop.schedule(() -> sayTheRest(reason), GATHERED_SECONDS, TimeUnit.SECONDS);
        } catch (RejectedExecutionException closed) {
            log.debug("The node has stopped", closed);
        }
    }

    private void sayTheRest(LossReason reason) {
        int count = counts.remove(reason);
        List<String> names = gathered.remove(reason);
        if (count > 0) {
            log.atWarn()
                    .addKeyValue("node", nodeId)
                    .addKeyValue("reason", reason)
                    .addKeyValue("count", count)
                    .log(
                            "Node '{}' lost more leases within a second: {}, {} of them, such as {}",
                            nodeId,
                            reason,
                            count,
                            names);
        }
    }
}
