package io.paxoslease.protocol.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.paxos.Attempt.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The table of docs/protocol.md is what {@link Claim} does: each event, in each state. */
class ClaimTableTest {

    private static final Path PAGE = Path.of("../docs/protocol.md");
    private static final Path CLAIM = Path.of("src/main/java/io/paxoslease/protocol/paxos/Claim.java");
    private static final String HEADING = "### States of a resource at a proposer";
    private static final Quorum QUORUM = new Quorum(List.of(new NodeId("a")));
    private static final Reading NOW = new Reading(new Moment(0), 0);
    private static final Moment LATER = new Moment(5);
    private static final RenewalBatch BATCH = new RenewalBatch(new Incarnation(1, 1), 9, QUORUM, LATER);

    /** How a claim comes to be in each state. */
    private static final Map<String, Consumer<Claim>> STATES = new LinkedHashMap<>();

    /** What the table calls each event, and the event. */
    private static final Map<String, Consumer<Claim>> EVENTS = new LinkedHashMap<>();

    static {
        Consumer<Claim> asks = claim -> claim.begun(attempt(Kind.ACQUIRE));
        Consumer<Claim> holds = asks.andThen(claim -> claim.granted(tenure()));
        Consumer<Claim> isSuspect = holds.andThen(Claim::suspected);
        STATES.put("Idle", claim -> {});
        STATES.put("BackingOff", claim -> claim.backedOff(LATER, false));
        STATES.put("Released", holds.andThen(claim -> claim.released(0)).andThen(claim -> claim.yielded(LATER, LATER)));
        STATES.put("Asking", asks);
        STATES.put("Holding", holds);
        STATES.put("Batched", holds.andThen(claim -> claim.joined(BATCH, 0)));
        STATES.put("Renewing", holds.andThen(claim -> claim.begun(attempt(Kind.RENEW))));
        STATES.put("Suspect", isSuspect);
        STATES.put("Confirming", isSuspect.andThen(claim -> claim.begun(attempt(Kind.CONFIRM))));

        EVENTS.put("begun (`ACQUIRE`)", asks);
        EVENTS.put("begun (`RENEW`)", claim -> claim.begun(attempt(Kind.RENEW)));
        EVENTS.put("begun (`CONFIRM`)", claim -> claim.begun(attempt(Kind.CONFIRM)));
        EVENTS.put("granted", claim -> claim.granted(tenure()));
        EVENTS.put("extended", Claim::extended);
        EVENTS.put("joined", claim -> claim.joined(BATCH, 1));
        EVENTS.put("leftBatch", Claim::leftBatch);
        EVENTS.put("abandoned", Claim::abandoned);
        EVENTS.put("abandonedBehindHolder", claim -> claim.abandonedBehindHolder(LATER));
        EVENTS.put("lateAnswersOver", Claim::lateAnswersOver);
        EVENTS.put("backedOff", claim -> claim.backedOff(LATER, true));
        EVENTS.put("retriesAt", claim -> claim.retriesAt(LATER));
        EVENTS.put("waitOver", Claim::waitOver);
        EVENTS.put("suspected", Claim::suspected);
        EVENTS.put("released", claim -> claim.released(1));
        EVENTS.put("yielded", claim -> claim.yielded(LATER, null));
        EVENTS.put("yieldOver", claim -> claim.yieldOver(LATER));
        EVENTS.put("disowned", Claim::disowned);
    }

    private static Attempt attempt(Kind kind) {
        return new Attempt(1, kind, false, "r", new Ballot(1, new Incarnation(1, 1)), 9, QUORUM, NOW, LATER);
    }

    private static Tenure tenure() {
        Attempt attempt = attempt(Kind.ACQUIRE);
        attempt.agreed(new NodeId("a"));
        return new Tenure(attempt, true, 0, NOW);
    }

    private static Claim in(String state) {
        Claim claim = new Claim("r", new Incarnation(1, 1));
        Objects.requireNonNull(STATES.get(state)).accept(claim);
        return claim;
    }

    /** The state after the event; {@code =} when it stays, and nothing when the event stops the node. */
    private static String after(String state, Consumer<Claim> event) {
        Claim claim = in(state);
        try {
            event.accept(claim);
        } catch (IllegalStateException refused) {
            assertThat(refused).hasMessageStartingWith("Broken invariant: ");
            assertThat(claim.state()).hasToString(state);
            return "";
        }
        String after = claim.state().toString();
        return after.equals(state) ? "=" : after;
    }

    @Test
    void thePageHasTheTable() throws IOException {
        String page = Files.readString(PAGE);
        List<String> rows = page.substring(page.indexOf(HEADING))
                .lines()
                .dropWhile(line -> !line.startsWith("| event |"))
                .takeWhile(line -> line.startsWith("|"))
                .map(line -> line.substring(1, line.lastIndexOf('|', line.length() - 2) + 1)) // the rule is for people
                .toList();
        List<String> table = EVENTS.entrySet().stream()
                .map(event -> STATES.keySet().stream()
                        .map(state -> after(state, event.getValue()))
                        .collect(Collectors.joining(" | ", " " + event.getKey() + " | ", " |")))
                .toList();

        assertThat(rows.get(0)).isEqualTo(" event | " + String.join(" | ", STATES.keySet()) + " |");
        assertThat(rows.subList(2, rows.size())).containsExactlyElementsOf(table);
    }

    @Test
    void theTableHasEveryEventAndEveryState() throws IOException {
        String source = Files.readString(CLAIM);
        String transitions =
                source.substring(source.indexOf("// The transitions."), source.indexOf("// What outlasts a state."));
        Set<String> methods = Pattern.compile("    void (\\w+)\\(")
                .matcher(transitions)
                .results()
                .map(found -> found.group(1))
                .filter(name -> !name.equals("become"))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> events = EVENTS.keySet().stream()
                .map(event -> event.replaceFirst(" .*", ""))
                .collect(Collectors.toSet());
        assertThat(events).isEqualTo(methods);

        Set<String> types = leaves(ClaimState.class).collect(Collectors.toCollection(TreeSet::new));
        assertThat(STATES.keySet()).containsExactlyInAnyOrderElementsOf(types);
        assertThat(STATES.keySet())
                .allSatisfy(state -> assertThat(in(state).state()).hasToString(state));
    }

    /** The table shows the time at which both have come. */
    @Test
    void othersComeFirstUntilBothTimesHaveCome() {
        Claim claim = in("Released");
        Moment last = LATER.plusNanos(1);
        claim.yielded(LATER, last);
        claim.yieldOver(LATER);
        assertThat(claim.state()).hasToString("Released");
        claim.yieldOver(last);
        assertThat(claim.state()).hasToString("Idle");
    }

    private static Stream<String> leaves(Class<?> type) {
        Class<?>[] parts = type.getPermittedSubclasses();
        return parts == null
                ? Stream.of(type.getSimpleName())
                : Arrays.stream(parts).flatMap(ClaimTableTest::leaves);
    }

    /** However an event ends, only the core's events change what is held. */
    @Test
    void onlyTheCoreBeginsAndEndsTenures() {
        Set<String> ofTheCore = Set.of("granted", "released", "disowned");
        STATES.keySet()
                .forEach(state -> EVENTS.forEach((name, event) -> {
                    Claim claim = in(state);
                    Tenure before = claim.tenure();
                    try {
                        event.accept(claim);
                    } catch (IllegalStateException refused) {
                        assertThat(claim.tenure()).isSameAs(before);
                    }
                    if (!ofTheCore.contains(name)) {
                        assertThat(claim.tenure()).as("%s in %s", name, state).isSameAs(before);
                    }
                }));
    }
}
