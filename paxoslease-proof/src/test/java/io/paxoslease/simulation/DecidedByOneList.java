package io.paxoslease.simulation;

import io.paxoslease.PaxosLeaseException;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.NodeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Members and a client raise and read registers all the time, while two of three members are replaced, and the two that leave are stopped once
 * the change is sealed. No node fails and no message is lost: each raise that is acknowledged is read from then on.
 */
public final class DecidedByOneList implements Supplier<List<String>> {

    private static final int SEEDS = 12;
    private static final Duration MAX = Duration.ofSeconds(2);
    private static final Duration STEP = Duration.ofMillis(15);
    private static final List<String> OLD = List.of("a", "b", "c");
    private static final List<String> NEW = List.of("c", "d", "e");

    private static final Generation FIRST = Generation.first(list(OLD));
    private static final Generation NEXT = new Generation(2, list(NEW), FIRST.current());

    private static MemberList list(List<String> ids) {
        return new MemberList(ids.stream().map(NodeId::new).toList(), MAX, 0.1);
    }

    /** @return what is wrong; nothing when all is well */
    @Override
    public List<String> get() {
        for (long seed = 0; seed < SEEDS; seed++) {
            List<String> wrong = new Run(seed).wrong();
            if (!wrong.isEmpty()) {
                return wrong;
            }
        }
        return List.of();
    }

    private static final class Run {

        private final long seed;
        private final SplittableRandom random;
        private final RegisterCell cell;
        private final Map<String, Long> acknowledged = new HashMap<>();
        private final List<String> wrong = new ArrayList<>();
        private List<String> users = Stream.concat(OLD.stream(), Stream.of("z")).toList();
        private long values;
        private int reads;
        private int failures;

        Run(long seed) {
            this.seed = seed;
            this.random = new SplittableRandom(seed);
            this.cell = new RegisterCell(seed);
        }

        List<String> wrong() {
            OLD.forEach(id -> cell.start(id, FIRST));
            cell.start("z", FIRST);
            use(Duration.ofSeconds(3));
            NEW.stream().filter(id -> !OLD.contains(id)).forEach(id -> cell.start(id, NEXT));
            users = Stream.of("a", "b", "c", "d", "e", "z").toList();
            cell.change(NEXT, "a", "b", "c");
            use(Duration.ofSeconds(12));
            users.stream()
                    .filter(id -> cell.sealed(id) != 2)
                    .forEach(id -> wrong.add("'%s' has not heard of the seal".formatted(id)));
            cell.stop("a");
            cell.stop("b");
            users = Stream.concat(NEW.stream(), Stream.of("z")).toList();
            cell.pass(Duration.ofSeconds(1));
            failures = 0;
            use(Duration.ofSeconds(2));
            if (failures > 0 || reads < 300) {
                wrong.add("%d calls after the change failed, and %d were answered before".formatted(failures, reads));
            }
            return wrong.stream()
                    .map(each -> "seed " + seed + ": " + each)
                    .limit(3)
                    .toList();
        }

        private void use(Duration time) {
            for (long left = time.toNanos(); left > 0; left -= STEP.toNanos()) {
                String register = "r" + random.nextInt(20);
                String user = users.get(random.nextInt(users.size()));
                if (random.nextInt(4) == 0) {
                    raise(user, register);
                } else {
                    read(user, register);
                }
                cell.pass(STEP);
            }
        }

        private void raise(String user, String register) {
            long value = ++values;
            cell.node(user).registers().raise(register, value).whenComplete((done, failure) -> {
                if (failure == null) {
                    acknowledged.merge(register, value, Math::max);
                } else {
                    failed(failure);
                }
            });
        }

        private void read(String user, String register) {
            long least = acknowledged.getOrDefault(register, 0L);
            CompletableFuture<OptionalLong> answer = cell.node(user).registers().read(register);
            answer.whenComplete((value, failure) -> {
                if (failure != null) {
                    failed(failure);
                } else if (value.orElse(0) < least) {
                    wrong.add("'%s' reads %s of %s, which was raised to %d before"
                            .formatted(user, value, register, least));
                } else {
                    reads++;
                }
            });
        }

        private void failed(Throwable failure) {
            if (!(failure instanceof PaxosLeaseException)) {
                wrong.add(failure.toString());
            }
            failures++;
        }
    }
}
