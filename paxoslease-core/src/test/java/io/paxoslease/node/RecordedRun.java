package io.paxoslease.node;

import io.paxoslease.PaxosLease;
import io.paxoslease.protocol.Effect;
import io.paxoslease.shell.LifeRecorder;
import io.paxoslease.shell.Recording;
import io.paxoslease.shell.Recording.Belief;
import io.paxoslease.shell.StepTap;
import io.paxoslease.testing.Background;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.TestCell;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;

/** Three nodes over TCP under load, one of which is stopped and started again; all that their protocol sees is recorded. */
final class RecordedRun {

    /** How often each life grants a lease at least. */
    static final int GRANTS = 3;

    private static final Duration LEASE_TIME = Duration.ofMillis(400);
    private static final Duration TIME = Duration.ofSeconds(3);
    private static final int USERS_PER_NODE = 3;
    private static final List<String> NODES = List.of("a", "b", "c");

    private final TestCell cell = TestCell.of(LEASE_TIME, "a", "b", "c");
    private final Map<String, PaxosLease> nodes = new LinkedHashMap<>();
    private final List<LifeRecorder> lives = new CopyOnWriteArrayList<>();
    private final Collection<Belief> beliefs = new ConcurrentLinkedQueue<>();
    private volatile boolean over;

    private RecordedRun(StepTap tap) {
        for (String id : NODES) {
            nodes.put(
                    id,
                    LocalNode.create(
                                    cell.options(id).build(),
                                    options -> new RecordingEnvironment(options, tap, lives::add))
                            .handle());
        }
    }

    static Recording record() throws InterruptedException, ExecutionException, IOException {
        try (StepTap tap = StepTap.open()) {
            RecordedRun run = new RecordedRun(tap);
            try {
                run.load();
            } finally {
                run.over = true;
                run.nodes.values().forEach(PaxosLease::stop);
            }
            return new Recording(run.lives.stream().map(LifeRecorder::life).toList(), List.copyOf(run.beliefs));
        }
    }

    private void load() throws InterruptedException, ExecutionException {
        nodes.values().forEach(PaxosLease::start);
        long start = System.nanoTime();
        List<Background<Void>> users = new ArrayList<>();
        for (PaxosLease node : nodes.values()) {
            for (int i = 0; i < USERS_PER_NODE; i++) {
                RecordedLoad user = new RecordedLoad(node, beliefs, new SplittableRandom());
                users.add(Background.start(() -> user.run(() -> !over)));
            }
        }
        await(GRANTS, Effect.Granted.class);
        await(1, Effect.ExtendedTogether.class);
        await(1, Effect.Lost.class);
        PaxosLease c = nodes.get("c");
        if (c != null) {
            c.stop();
            c.start();
        }
        await(GRANTS, Effect.Granted.class);
        Eventually.until("the time is over", () -> System.nanoTime() - start >= TIME.toNanos());
        over = true;
        for (Background<Void> user : users) {
            user.result();
        }
    }

    /** Until every life has seen so many effects of that kind. */
    private void await(int count, Class<? extends Effect> kind) {
        for (LifeRecorder life : lives) {
            Eventually.until(
                    "each life has seen " + count + " " + kind.getSimpleName(), () -> life.count(kind) >= count);
        }
    }
}
