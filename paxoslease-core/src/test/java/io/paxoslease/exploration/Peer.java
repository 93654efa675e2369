package io.paxoslease.exploration;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.AcquireRequest.Patience;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Node;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.OneByOne;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import java.util.List;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One process of a small world: a production node, and what its user believes. It is what its events made of it: the same
 * events at the same times always lead to the same state.
 */
final class Peer {

    /** Every wait is the shortest that chance could pick. */
    private static final RandomGenerator NO_CHANCE = () -> 0;

    private static final int HIGHEST_SHARED = 1_000;

    /** Draws incarnations that tell where they come from: node, life, and which of that life. */
    private static final class Lives implements Supplier<Incarnation> {
        private final long node;
        private final long life;
        private long drawn;

        Lives(long node, long life) {
            this.node = node;
            this.life = life;
        }

        @Override
        public Incarnation get() {
            return new Incarnation(node, life * HIGHEST_SHARED + drawn++);
        }
    }

    private final Cell cell;
    private final Timing timing;
    final int number;
    final int life;
    private final Node node;
    private long wallOffsetMicros;
    private int requests;
    /** The request that is not answered yet; zero when there is none. */
    private int asked;

    private long token;
    private @Nullable Moment heldUntil;
    private boolean suspect;

    Peer(Cell cell, Timing timing, int number, int life, long wallOffsetMicros, int time) {
        this.cell = cell;
        this.timing = timing;
        this.number = number;
        this.life = life;
        this.wallOffsetMicros = wallOffsetMicros;
        long drawnLife = cell.keepsIncarnation ? 0 : life;
        long drawnNode = cell.sharesIncarnation ? 0 : number;
        Reading now = now(time);
        long silent = timing.quarantineNanos() - cell.quarantineShortBy * Cell.UNIT;
        this.node = new Node(
                World.id(number),
                new Quorum(cell.members(number).stream().map(World::id).toList()),
                timing,
                life == 0 ? null : now.moment().plusNanos(silent),
                new Lives(drawnNode, drawnLife),
                NO_CHANCE,
                now);
    }

    Peer restarted(int time) {
        return new Peer(cell, timing, number, life + 1, wallOffsetMicros, time);
    }

    NodeId id() {
        return World.id(number);
    }

    private Reading now(int time) {
        return new Reading(moment(time), Cell.WALL + time * Cell.UNIT / 1_000 + wallOffsetMicros);
    }

    private Moment moment(int time) {
        return new Moment(cell.origin(number) + time * Cell.UNIT * cell.rate(number));
    }

    long token() {
        return token;
    }

    /** What an honest {@code isHeld()} would answer at that time. */
    boolean believes(int time) {
        return heldUntil != null && !suspect && moment(time).nanosUntil(heldUntil) > 0;
    }

    /** Whether the user, the timer or the clock could do this now. */
    boolean can(Action action, int time) {
        if (action instanceof Action.Acquire) {
            return asked == 0 && heldUntil == null;
        } else if (action instanceof Action.Withdraw) {
            return asked != 0;
        } else if (action instanceof Action.Wake) {
            Moment due = node.nextDeadline();
            return due != null && moment(time).nanosUntil(due) <= 0;
        }
        return action instanceof Action.SetBack || heldUntil != null;
    }

    /** The user acts first, and the event follows (P6: whoever releases stops relying on it first). */
    List<Effect> perform(Action action, int time) {
        if (action instanceof Action.Acquire) {
            asked = ++requests;
            long lease = cell.leaseUnits * Cell.UNIT;
            return step(
                    new Event.Acquire(
                            new AcquireRequest(asked, World.RESOURCE, lease, cell.renewed, Patience.WAIT, null)),
                    time);
        } else if (action instanceof Action.Withdraw) {
            int withdrawn = asked;
            asked = 0;
            return step(new Event.Withdraw(World.RESOURCE, withdrawn), time);
        } else if (action instanceof Action.Release) {
            heldUntil = null;
            return step(new Event.GiveUp(World.RESOURCE, token), time);
        } else if (action instanceof Action.Renew) {
            return step(new Event.Renew(World.RESOURCE, token, cell.renewalNanos(), ++requests), time);
        } else if (action instanceof Action.Suspect) {
            return step(new Event.ClocksDisagree(false), time);
        } else if (action instanceof Action.SetBack) {
            wallOffsetMicros -= cell.wallStepUnits * Cell.UNIT / 1_000;
            return List.of();
        }
        return step(new Event.Woken(), time);
    }

    List<Effect> receive(Flight flight, int time) {
        return step(new Event.Received(World.id(flight.from()), flight.message()), time);
    }

    private List<Effect> step(Event event, int time) {
        List<Effect> effects = node.step(event, now(time));
        OneByOne.of(effects).forEach(this::learn);
        return effects;
    }

    private void learn(Effect effect) {
        if (effect instanceof Effect.Granted granted) {
            asked = 0;
            suspect = false;
            token = granted.token();
            heldUntil = granted.until().moment();
        } else if (effect instanceof Effect.Extended extended && extended.token() == token && heldUntil != null) {
            heldUntil = extended.until().moment();
            suspect = false;
        } else if (effect instanceof Effect.Suspected) {
            suspect = true;
        } else if (effect instanceof Effect.Lost) {
            heldUntil = null;
        } else if (effect instanceof Effect.Denied denied && denied.requestId() == asked) {
            asked = 0;
        }
    }
}
