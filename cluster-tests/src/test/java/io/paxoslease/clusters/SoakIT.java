package io.paxoslease.clusters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.paxoslease.clusters.Fault.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Random faults of a cell that is used over TLS, one after the other; while its members are changed, also beside a step of the change. The same
 * ones by default; {@code -Dsoak.faults=1000} for a long one with other faults, {@code -Dsoak.seed=S} for the same faults again.
 */
@RequiresDocker
@Timeout(value = 12, unit = TimeUnit.HOURS)
@Isolated("it loads the machine")
class SoakIT {

    private static final String ASKED_FOR = "soak.faults";
    private static final int FAULTS = Integer.getInteger(ASKED_FOR, Depth.of(8, 20));
    /** Of the faults by default. */
    private static final long SEED = 1;

    private static final int CALLERS = 16;
    /** A new cell begins after so many: a cell runs instances of two releases until its members change for the first time. */
    private static final int PER_CELL = 50;

    private static final int LARGE = 5;

    private final long seed =
            Long.getLong("soak.seed", System.getProperty(ASKED_FOR) == null ? SEED : System.nanoTime());
    private final SplittableRandom random = new SplittableRandom(seed);
    private final List<String> done = new ArrayList<>();
    private final List<String> ofAnotherRelease = new ArrayList<>();
    private @Nullable Fault beside;
    private int names;
    private boolean passed;

    @Test
    void whateverHappensTwoNeverHaveOneLeaseAndEveryInstanceComesBack() {
        assumeTrue(FAULTS > 0, "-Dsoak.faults=0");
        for (int left = FAULTS; left > 0; left -= PER_CELL) {
            oneCell(Math.min(left, PER_CELL));
        }
        passed = true;
    }

    @AfterEach
    void sayWhatWasDrawn() {
        if (FAULTS == 0) {
            return;
        }
        System.out.printf("Soak of %d faults, -Dsoak.seed=%d: %s%n", done.size(), seed, kinds());
        if (!passed) {
            System.out.println(done.stream().collect(Collectors.joining("\n  ", "  ", "\n")));
        }
    }

    /** How many of each. */
    private Map<String, Long> kinds() {
        return done.stream()
                .map(each -> each.replaceFirst("^  beside \\w+: ", ""))
                .map(each -> each.replaceFirst(" of .*|^\\w+ (?=back|to another)|^\\[.*] (?=changed)", ""))
                .map(each -> each.replaceFirst(" to \\[.*", ""))
                .collect(Collectors.groupingBy(each -> each, TreeMap::new, Collectors.counting()));
    }

    private void oneCell(int faults) {
        ofAnotherRelease.clear();
        try (BusyCell busy = new BusyCell(CALLERS, next(), next(), next())) {
            int firstChange = faults * 2 / 5;
            for (int i = 0; i < faults; i++) {
                if (i < firstChange) {
                    beforeTheFirstChange(busy);
                } else if (i == firstChange || random.nextInt(6) == 0) {
                    changeMembers(busy);
                } else {
                    happen(drawn(busy, kind()));
                }
                if (random.nextInt(3) == 0) {
                    busy.awaitReady();
                }
            }
            busy.awaitReady();
            judge(busy);
        }
    }

    private void judge(BusyCell busy) {
        var files = busy.cell.files();
        History history = History.of(files);
        Traffic traffic = Traffic.of(files);
        System.out.printf(
                "%d faults: %d hand-overs, %,d leases, %d calls without one, %d leases lost, %d overlaps or tokens out of order%n",
                done.size(),
                history.handOvers(),
                traffic.calls().size(),
                traffic.refused(0, Long.MAX_VALUE),
                traffic.losses().size(),
                history.violations().size() + traffic.violations().size());
        assertThat(history.violations().stream().limit(5)).isEmpty();
        assertThat(traffic.violations().stream().limit(5)).isEmpty();
        assertThat(history.leading()).isNotEmpty();
        assertThat(traffic.calls()).anyMatch(Traffic.Call::isCertain);
    }

    /** Of an instance. */
    private String next() {
        return "n" + ++names;
    }

    private Kind kind() {
        Kind kind = Fault.KINDS.get(random.nextInt(Fault.KINDS.size()));
        return kind == Kind.SLOW && !NetworkFaults.whatIsMissing().isEmpty() ? Kind.PAUSE : kind;
    }

    /** A client is paused only: that it comes back is asked of members. */
    private Fault drawn(BusyCell busy, Kind kind) {
        return Fault.draw(random, kind, any(kind == Kind.PAUSE ? busy.everyone() : busy.members()));
    }

    private Member any(List<Member> among) {
        return among.get(random.nextInt(among.size()));
    }

    private void happen(Fault fault) {
        done.add(fault.toString());
        fault.happen();
    }

    private void beforeTheFirstChange(BusyCell busy) {
        if (random.nextInt(3) == 0) {
            Member member = any(busy.members());
            turn(busy, member, !ofAnotherRelease.contains(member.name()));
        } else {
            happen(drawn(busy, kind()));
        }
    }

    private void turn(BusyCell busy, Member member, boolean toAnother) {
        done.add("%s %s".formatted(member, toAnother ? "to another release" : "back to this release"));
        if (toAnother) {
            ofAnotherRelease.add(member.name());
        } else {
            ofAnotherRelease.remove(member.name());
        }
        busy.restart(member, toAnother);
    }

    /** Members are added, removed or replaced. First all go back to this release. */
    private void changeMembers(BusyCell busy) {
        for (Member member : busy.members()) {
            if (ofAnotherRelease.contains(member.name())) {
                turn(busy, member, false);
            }
        }
        busy.awaitReady();
        List<String> after = new ArrayList<>(busy.names());
        boolean isReplaced = random.nextBoolean();
        if (isReplaced) {
            after.set(random.nextInt(after.size()), next());
        } else if (after.size() == LARGE) {
            after.remove(random.nextInt(after.size()));
            after.remove(random.nextInt(after.size()));
        } else {
            after.addAll(List.of(next(), next()));
        }
        done.add("%s changed to %s".formatted(busy.names(), after));
        busy.change(after, step -> besides(busy, step));
    }

    /** What happens to one member while the next step of a change is about another one; before the wait for the seal, nothing. */
    private void besides(BusyCell busy, String step) {
        Fault over = beside;
        if (over != null) {
            over.end();
            BusyCell.awaitServing(over.victim());
        }
        beside = null;
        Kind kind = Fault.brief(random);
        List<Member> others = busy.members().stream()
                .filter(each -> !each.name().equals(step))
                .toList();
        if (!step.isEmpty() && kind != null && random.nextInt(3) == 0) {
            Fault fault = drawnBeside(kind, any(others));
            done.add("  beside %s: %s".formatted(step, fault));
            fault.begin();
            beside = fault;
        }
    }

    private Fault drawnBeside(Kind kind, Member victim) {
        boolean isPossible = kind != Kind.SLOW || NetworkFaults.whatIsMissing().isEmpty();
        return Fault.draw(random, isPossible ? kind : Kind.PAUSE, victim);
    }
}
