package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.MemberList;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * R4: clients that renew a lease which is shorter than the time between two questions, while members change without a fault. The nodes find the
 * seal at different moments, because each asks since it was started; members that leave stop as soon as a status shows it. Is a lease lost, or
 * anything refused?
 */
public final class LeasesAtASeal implements Supplier<List<String>> {

    private static final Duration SHORT = Duration.ofMillis(500);
    private static final Duration MAX = Duration.ofSeconds(4);
    /** M x gamma of four seconds, and a little for the work. */
    private static final Duration QUARANTINE = Duration.ofMillis(4_900);

    private static final int CLIENTS = 12;
    private static final int EARLY = 6;

    private static final MemberList THREE = ChangingCell.list(MAX, "a", "b", "c");
    private static final Generation FIRST = Generation.first(THREE);

    private final ChangingCell cell = new ChangingCell();
    private final Generation next;
    private final List<String> clients =
            IntStream.range(0, CLIENTS).mapToObj(i -> "client-" + i).toList();

    /** One of three members is replaced. */
    public LeasesAtASeal() {
        this("a", "b", "d");
    }

    /** Three members, a, b and c, become others. */
    LeasesAtASeal(String... after) {
        this.next = new Generation(2, ChangingCell.list(MAX, after), THREE);
    }

    /** @return what is wrong; nothing when all is well */
    @Override
    public List<String> get() {
        cell.delay(Duration.ofMillis(20));
        THREE.members().forEach(id -> {
            cell.start(id.name(), FIRST);
            cell.pass(Duration.ofMillis(215));
        });
        cell.pass(QUARANTINE);
        beginChange();
        int refusals = cell.refusals(); // of what clients ask before they have heard of the change
        stopThoseThatLeave();
        cell.pass(Duration.ofSeconds(3));

        List<String> wrong = new ArrayList<>();
        if (cell.ownGrants() != CLIENTS || cell.losses() > 0) {
            wrong.add("%d of %d leases were lost".formatted(cell.losses(), cell.ownGrants()));
        }
        if (cell.refusals() > refusals) {
            wrong.add("%d requests were refused".formatted(cell.refusals() - refusals));
        }
        clients.stream()
                .filter(client -> cell.node(client).decidingGeneration() != 2)
                .forEach(client -> wrong.add(client + " does not ask the new list alone in the end"));
        return wrong;
    }

    /**
     * Starts what is new, waits until the members have moved, and starts clients, which renew a short lease each. Some are there before: one of
     * them may be the first that finds the seal.
     */
    private void beginChange() {
        clients.subList(0, EARLY).forEach(this::startClient);
        List.of("a", "b", "c").forEach(each -> cell.readsNext(each, next));
        next.current().members().stream()
                .filter(id -> !THREE.members().contains(id))
                .forEach(id -> {
                    cell.start(id.name(), next);
                    cell.pass(Duration.ofMillis(135));
                });
        while (cell.node("a").generation().number() == 1) {
            cell.pass(Duration.ofMillis(10));
        }
        clients.subList(EARLY, CLIENTS).forEach(this::startClient);
    }

    private void startClient(String client) {
        cell.start(client, FIRST);
        cell.acquireOwn(client, SHORT);
        cell.pass(Duration.ofMillis(105));
    }

    private void stopThoseThatLeave() {
        long patience = QUARANTINE.plusSeconds(3).toMillis() / 5;
        while (next.current().members().stream()
                        .noneMatch(id -> cell.node(id.name()).decidingGeneration() == 2)
                && patience-- > 0) {
            cell.pass(Duration.ofMillis(5));
        }
        THREE.members().stream()
                .filter(id -> !next.current().members().contains(id))
                .forEach(id -> cell.stop(id.name()));
    }
}
