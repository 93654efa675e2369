package io.paxoslease.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.AcquireOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The same script in two in-memory cells: the same events, tokens included. */
@Timeout(60) // a test hangs if it does not move the clock
class InMemoryCellRepeatTest {

    private static final List<String> NODES = List.of("a", "b", "c");
    private static final int STEPS = 400;

    private final List<String> events = new ArrayList<>();

    @Test
    void theSameScriptBringsTheSameEvents() {
        List<String> first = play(1);

        assertThat(first).hasSizeGreaterThan(STEPS / 4).anyMatch(event -> event.contains("EXPIRED"));
        for (int i = 0; i < 3; i++) {
            assertThat(play(1)).isEqualTo(first);
        }
        assertThat(play(2)).isNotEqualTo(first);
    }

    private List<String> play(long seed) {
        events.clear();
        SplittableRandom random = new SplittableRandom(seed);
        try (InMemoryCell cell = InMemoryCell.of("a", "b", "c")) {
            for (int i = 0; i < STEPS; i++) {
                String node = NODES.get(random.nextInt(3));
                disturb(cell, node, random.nextInt(12));
                ask(cell, node, "r" + random.nextInt(3));
                cell.advance(Duration.ofMillis(random.nextInt(1_000)));
            }
        }
        return List.copyOf(events);
    }

    private static void disturb(InMemoryCell cell, String node, int what) {
        switch (what) {
            case 0 -> cell.disconnect(node);
            case 1, 2 -> cell.reconnect(node);
            case 3 -> cell.crash(node);
            case 4, 5 -> cell.restart(node);
            case 6 -> cell.denyRequests(node, "r1"::equals);
            case 7 -> cell.allowRequests(node);
            default -> cell.advance(Duration.ofSeconds(1));
        }
    }

    /** Callbacks run one at a time here, as every step of the script is waited for. */
    private synchronized void note(String event) {
        events.add(event);
    }

    private void ask(InMemoryCell cell, String node, String resource) {
        AcquireOptions how =
                AcquireOptions.builder().maxWait(Duration.ofSeconds(5)).build();
        cell.node(node).acquire(resource, how).whenComplete((lease, failure) -> {
            note(node + " " + resource + " " + (failure == null ? lease.fencingToken() : failure.getMessage()));
            if (failure == null) {
                lease.onLost((same, reason) -> note(node + " " + resource + " " + reason));
                if (lease.fencingToken() % 3 == 0) {
                    lease.release();
                }
            }
        });
    }
}
