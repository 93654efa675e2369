package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.AcquireRequest.WaitMode;
import io.paxoslease.protocol.ConfigurationGuard;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.paxos.PaxosMessage.Accepted;
import io.paxoslease.protocol.paxos.PaxosMessage.AskStanding;
import io.paxoslease.protocol.paxos.PaxosMessage.Extend;
import io.paxoslease.protocol.paxos.PaxosMessage.Extended;
import io.paxoslease.protocol.paxos.PaxosMessage.Held;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import io.paxoslease.protocol.paxos.PaxosMessage.QueueMode;
import io.paxoslease.protocol.paxos.PaxosMessage.Release;
import io.paxoslease.protocol.paxos.PaxosMessage.Standing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * P5: a holder releases nothing that its tenure rests on, also when a renewal fails. While two lists decide together, a majority of one of
 * them may name another holder although the tenure, which the other list has granted alone, is held. Found by the simulation (seed 4747 of
 * cells that change): the holder waited for the answers that had not come, as one that asks does, and released what came with them.
 */
public final class RenewalBehindHolder implements Supplier<List<String>> {

    private static final Duration MAX = Duration.ofSeconds(9);
    private static final NodeId A = new NodeId("a");
    private static final NodeId B = new NodeId("b");
    private static final NodeId C = new NodeId("c");
    private static final Generation FIRST = Generation.first(ChangingCell.list(MAX, "a", "b", "c"));
    private static final Generation SECOND = new Generation(2, ChangingCell.list(MAX, "c"), FIRST.current());
    private static final Ballot OTHER = new Ballot(1_700_000_000_000_001L, new Incarnation(3, 3));

    private long nanos;
    private final AtomicLong incarnations = new AtomicLong();
    private final Node client = new Node(
            new NodeId("x"),
            FIRST,
            null,
            ConfigurationGuard.none(new NodeId("x")),
            false,
            () -> new Incarnation(7, incarnations.incrementAndGet()),
            new SplittableRandom(1),
            now());
    private final List<Effect> effects = new ArrayList<>();

    private Reading now() {
        return new Reading(new Moment(nanos), 1_700_000_000_000_000L + nanos / 1_000);
    }

    private void step(Event event) {
        effects.addAll(OneByOne.of(client.step(event, now())));
    }

    private void hear(NodeId from, Message message) {
        step(new Event.Received(from, message));
    }

    /** The last of that type that was sent. */
    private <T extends PaxosMessage> T sent(Class<T> type) {
        return effects.stream()
                .filter(Effect.Send.class::isInstance)
                .map(effect -> ((Effect.Send) effect).message())
                .map(message -> message instanceof PaxosMessage.InMode inMode ? inMode.request() : message)
                .filter(type::isInstance)
                .map(type::cast)
                .reduce((first, second) -> second)
                .orElseThrow();
    }

    private void stands(NodeId member, Generation generation) {
        hear(member, new Standing(sent(AskStanding.class).nonce(), new Incarnation(1, 1), generation, 0));
    }

    /** @return what is wrong; nothing when all is well */
    @Override
    public List<String> get() {
        step(new Event.Acquire(new AcquireRequest(1, "r", MAX.toNanos(), true, WaitMode.WAIT, null)));
        Propose asked = sent(Propose.class);
        hear(A, new Accepted("r", asked.ballot(), asked.attempt()));
        hear(B, new Accepted("r", asked.ballot(), asked.attempt()));

        step(new Event.GenerationMet(C, SECOND, 0));
        step(new Event.Woken());
        stands(A, FIRST);
        stands(B, FIRST);
        stands(C, SECOND);
        nanos += Duration.ofMillis(500).toNanos();
        step(new Event.Woken());
        Extend extend = sent(Extend.class);
        hear(A, new Extended(extend.incarnation(), extend.attempt(), List.of(), List.of()));
        hear(C, new Extended(extend.incarnation(), extend.attempt(), List.of(0), List.of()));
        Propose renewal = sent(Propose.class);
        if (renewal.queueMode() != QueueMode.NONE) {
            return List.of("the schedule has no renewal: " + renewal);
        }

        hear(C, new Held("r", renewal.ballot(), renewal.attempt(), OTHER, C, MAX.toNanos(), OTHER.counter(), false));
        hear(B, new Accepted("r", renewal.ballot(), renewal.attempt()));

        boolean isLost = effects.stream().anyMatch(Effect.Lost.class::isInstance);
        return effects.stream()
                .filter(effect -> effect instanceof Effect.Send send && send.message() instanceof Release && !isLost)
                .map(effect -> "it holds the lease and sends " + effect)
                .toList();
    }
}
