package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.AcquireRequest.WaitMode;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Event.Received;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import io.paxoslease.protocol.paxos.ProtocolTestCell.InFlight;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * H4, of a client: its machine is copied while it holds a lease, and the copy goes on two seconds later, beside the original, which renews the lease. The
 * clocks tell the copy, and its user asks for the lease again. Does it get it?
 */
public final class CopiedClient implements Supplier<List<String>> {

    private static final Duration MILLI = Duration.ofMillis(1);
    private static final long LEASE = 600;

    private final ProtocolTestCell cell = new ProtocolTestCell(3, 1, Duration.ofMillis(1_000));
    private final NodeId d = cell.id(3);
    private @Nullable Node copy;
    private final List<Effect> effects = new ArrayList<>();
    /** For how long its monotonic clock stood still. */
    private long sleptNanos;

    private long drawn;

    /** @return what is wrong; nothing when all is well */
    @Override
    public List<String> get() {
        cell.pass(MILLI);
        cell.acquire(d, "r", LEASE, true);
        List<InFlight> asked = cell.hold(message -> message.from().equals(d));
        Incarnation own = ((Propose) asked.get(0).message()).ballot().incarnation();
        copy = newCopy(own);
        acquire();
        asked.forEach(message -> cell.step(message.to(), new Received(d, message.message())));
        cell.hold(message -> message.to().equals(d)).forEach(answer -> {
            cell.step(d, new Received(answer.from(), answer.message()));
            step(new Received(answer.from(), answer.message()));
        });
        if (!isHeldByCopy()) {
            return List.of("the copy is none, as it does not hold what the original holds");
        }
        effects.clear();
        cell.pass(Duration.ofSeconds(2));
        sleptNanos = Duration.ofSeconds(2).toNanos();
        step(new Event.ClocksDisagree(true));
        acquire();
        for (int i = 0; i < LEASE; i++) {
            cell.pass(MILLI);
            Moment due = copy().nextDeadline();
            if (due != null && !now().moment().isBefore(due)) {
                step(new Event.Woken());
            }
        }
        boolean isHeldByOriginal = !cell.all(d, Effect.Granted.class).isEmpty()
                && cell.all(d, Effect.Lost.class).isEmpty();
        return !isHeldByOriginal
                ? List.of("the original has lost the lease")
                : isHeldByCopy() ? List.of("the copy holds the lease beside the original") : List.of();
    }

    private Node newCopy(Incarnation first) {
        return new Node(
                d,
                new Quorum(cell.ids.subList(0, 3)),
                cell.timing,
                null,
                () -> drawn++ == 0 ? first : new Incarnation(8, drawn),
                new SplittableRandom(3),
                now());
    }

    private Node copy() {
        return Objects.requireNonNull(copy);
    }

    private Reading now() {
        Reading real = cell.now(d);
        return new Reading(real.moment().plusNanos(-sleptNanos), real.wallMicros());
    }

    private void acquire() {
        step(new Event.Acquire(new AcquireRequest(1 + drawn, "r", LEASE * 1_000_000, true, WaitMode.WAIT, null)));
    }

    private boolean isHeldByCopy() {
        return effects.stream()
                .anyMatch(effect -> effect instanceof Effect.Granted
                        || effect instanceof Effect.Extended
                        || effect instanceof Effect.ExtendedTogether);
    }

    /** What it sends arrives at once, and so do the answers; before it is a copy, nothing does. */
    private void step(Event event) {
        for (Effect effect : copy().step(event, now())) {
            effects.add(effect);
            if (effect instanceof Effect.Send send && sleptNanos > 0) {
                exchange(send.to(), send.message());
            }
        }
    }

    private void exchange(NodeId to, Message message) {
        cell.step(to, new Received(d, message));
        cell.hold(each -> each.from().equals(to) && each.to().equals(d))
                .forEach(answer -> step(new Received(to, answer.message())));
    }
}
