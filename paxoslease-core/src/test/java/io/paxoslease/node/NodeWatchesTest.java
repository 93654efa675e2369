package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.watch.WatchedResource;
import io.paxoslease.watch.LeaseWatch;
import io.paxoslease.watch.LeaseWatchListener;
import io.paxoslease.watch.WatchedLease;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the users of a node watch, and when the node hears of it. */
class NodeWatchesTest {

    private static final String PREFIX = "role:";

    private final PaxosLeaseOptions options = PaxosLeaseOptions.builder("n").build();
    private final NodeWatches watches = new NodeWatches();
    private final NodeByHand node = new NodeByHand(new HandClock());

    private LeaseWatch watch(List<WatchedLease> told) {
        return watches.add(options, NodeAlgorithm.of(options.algorithm()), PREFIX, told::addAll);
    }

    private static Effect.Watched told(boolean all, String resource, String owner) {
        WatchedResource held = new WatchedResource(resource, WatchedResource.State.HELD, new NodeId(owner), "");
        return new Effect.Watched(PREFIX, all, true, List.of(held));
    }

    @Test
    void howeverOftenAPrefixChangesOneTaskIsOnItsWayToTheNode() {
        watches.started(node);
        for (int i = 0; i < 1_000; i++) {
            watch(new ArrayList<>()).close();
        }
        assertThat(node.tasks).hasSize(1);
        node.runTasks();
        assertThat(node.events).containsExactly(new Event.Unwatch(PREFIX));

        for (int i = 0; i < 1_000; i++) {
            watch(new ArrayList<>()).close();
        }
        LeaseWatch kept = watch(new ArrayList<>());
        assertThat(node.tasks).as("the first one has been run").hasSize(1);
        node.runTasks();
        assertThat(node.events).containsExactly(new Event.Unwatch(PREFIX), new Event.Watch(PREFIX));
        kept.close();
        node.runTasks();
        assertThat(node.events).endsWith(new Event.Unwatch(PREFIX));
    }

    @Test
    void aListenerThatFailsWithTheChangesHearsThatTheWatchIsCurrent() {
        watches.started(node);
        List<Boolean> current = new ArrayList<>();
        listen(new LeaseWatchListener() {
            @Override
            public void changed(List<WatchedLease> leases) {
                throw new IllegalStateException("failed");
            }

            @Override
            public void currentChanged(boolean isCurrent) {
                current.add(isCurrent);
            }
        });
        watches.apply(told(true, "role:x", "a"));

        assertThat(current).containsExactly(true);
    }

    @Test
    void whatComesAndGoesWhileAListenerIsBusyIsNotToldLater() {
        watches.started(node);
        List<String> heard = new ArrayList<>();
        listen(leases -> {
            leases.forEach(lease -> heard.add(lease.resource() + " " + lease.state()));
            if (heard.size() == 1) { // it is busy
                watches.apply(told(false, "role:y", "b"));
                watches.apply(free("role:y"));
                watches.apply(free("role:x"));
                watches.apply(told(false, "role:x", "b"));
                watches.apply(free("role:x"));
            }
        });
        watches.apply(told(true, "role:x", "a"));

        assertThat(heard).containsExactly("role:x HELD", "role:x FREE");
    }

    private void listen(LeaseWatchListener listener) {
        watches.add(options, NodeAlgorithm.of(options.algorithm()), PREFIX, listener);
    }

    private static Effect.Watched free(String resource) {
        WatchedResource free = new WatchedResource(resource, WatchedResource.State.FREE, null, "");
        return new Effect.Watched(PREFIX, false, true, List.of(free));
    }

    /** What the node tells before it has heard of the new watch is meant for the old one: it may be a part. */
    @Test
    void aWatchThatReplacesAnotherBelievesNothingUntilItIsToldAll() {
        watches.started(node);
        LeaseWatch replaced = watch(new ArrayList<>());
        node.runTasks();
        watches.apply(told(true, "role:x", "a"));
        assertThat(replaced.isCurrent()).isTrue();
        replaced.close();
        List<WatchedLease> heard = new ArrayList<>();
        LeaseWatch watch = watch(heard);
        watches.apply(told(false, "role:y", "b"));

        assertThat(watch.isCurrent()).isFalse();
        assertThat(watch.leases()).isEmpty();
        assertThat(heard).isEmpty();
        node.runTasks();
        watches.apply(told(true, "role:x", "a"));
        WatchedLease leased = new WatchedLease("role:x", WatchedLease.State.HELD, "a", null);
        assertThat(watch.isCurrent()).isTrue();
        assertThat(watch.leases()).isEqualTo(Map.of("role:x", leased));
        assertThat(heard).containsExactly(leased);
    }
}
