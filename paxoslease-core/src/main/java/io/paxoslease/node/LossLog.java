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
    private final Map<LossReason, Gathered> gathered = new EnumMap<>(LossReason.class);

    /** What was lost after the first one, for the same reason. */
    private static final class Gathered {

        final List<String> names = new ArrayList<>(NAMED);
        int count;
    }

    LossLog(String nodeId, ScheduledExecutorService loop) {
        this.nodeId = nodeId;
        this.loop = loop;
    }

    void lost(String resource, LossReason reason, long token) {
        String name = Printable.name(resource);
        Gathered more = gathered.get(reason);
        if (more != null) {
            more.count++;
            if (more.names.size() < NAMED) {
                more.names.add(name);
            }
            return;
        }
        log.atWarn()
                .addKeyValue("node", Printable.name(nodeId))
                .addKeyValue("resource", name)
                .addKeyValue("reason", reason)
                .addKeyValue("fencingToken", token)
                .log("Node '{}' lost lease '{}' (fencing token {}): {}", Printable.name(nodeId), name, token, reason);
        gathered.put(reason, new Gathered());
        try {
            loop.schedule(() -> logRemaining(reason), GATHERED_SECONDS, TimeUnit.SECONDS);
        } catch (RejectedExecutionException closed) {
            log.debug("The node has stopped", closed);
        }
    }

    private void logRemaining(LossReason reason) {
        Gathered more = gathered.remove(reason);
        if (more != null && more.count > 0) {
            log.atWarn()
                    .addKeyValue("node", Printable.name(nodeId))
                    .addKeyValue("reason", reason)
                    .addKeyValue("count", more.count)
                    .log(
                            "Node '{}' lost more leases within a second: {}, {} of them, such as {}",
                            Printable.name(nodeId),
                            reason,
                            more.count,
                            Printable.line(more.names));
        }
    }
}
