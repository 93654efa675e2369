package io.paxoslease.node;

import io.paxoslease.LossReason;
import io.paxoslease.monitor.LeaseLoss;
import io.paxoslease.protocol.Moment;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The last loss of each resource, for people: of the {@value #MOST} that were lost last. Thread-safe. */
final class Losses {

    private static final int MOST = 1_000;

    private record Loss(LossReason reason, long token, Moment at) {}

    private final Map<String, Loss> byResource = new LinkedHashMap<>();

    synchronized void add(String resource, LossReason reason, long token, Moment at) {
        byResource.remove(resource);
        byResource.put(resource, new Loss(reason, token, at));
        if (byResource.size() > MOST) {
            Iterator<String> oldest = byResource.keySet().iterator();
            oldest.next();
            oldest.remove();
        }
    }

    synchronized @Nullable LeaseLoss last(String resource, Moment now) {
        Loss loss = byResource.get(resource);
        return loss == null
                ? null
                : new LeaseLoss(
                        loss.reason(),
                        loss.token(),
                        Duration.ofNanos(Math.max(0, loss.at().nanosUntil(now))));
    }

    synchronized List<String> resources() {
        return List.copyOf(byResource.keySet());
    }
}
