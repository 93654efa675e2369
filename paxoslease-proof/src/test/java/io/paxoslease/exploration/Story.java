package io.paxoslease.exploration;

import io.paxoslease.exploration.Action.Deliver;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.paxos.Ballot;
import io.paxoslease.protocol.paxos.PaxosMessage;
import java.util.ArrayList;
import java.util.List;

/** Tells what happens in an {@link ExploredWorld}, in lines for people. */
final class Story {

    private final List<String> lines = new ArrayList<>();

    List<String> lines() {
        return lines;
    }

    void tell(ExploredWorld world, Action action) {
        String what;
        if (action instanceof Deliver deliver) {
            Flight flight = world.find(deliver);
            what = "  %s hears from %s: %s%s"
                    .formatted(
                            ExploredWorld.id(deliver.to()),
                            ExploredWorld.id(deliver.from()),
                            flight == null ? "nothing" : text(flight.message()),
                            deliver.stays() ? "  (a copy stays under way)" : "");
        } else {
            what = Script.text(action);
        }
        lines.add("%2d  %s".formatted(world.time(), what));
    }

    void tell(ExploredWorld world, int node, Effect effect) {
        if (!(effect instanceof Effect.Send || effect instanceof Effect.Notice)) {
            lines.add("%2d      %s: %s".formatted(world.time(), ExploredWorld.id(node), text(effect)));
        }
    }

    private static String text(Effect effect) {
        if (effect instanceof Effect.Granted granted) {
            return "HOLDS with token " + counter(granted.token());
        } else if (effect instanceof Effect.Extended || effect instanceof Effect.ExtendedTogether) {
            return "holds on";
        } else if (effect instanceof Effect.Lost lost) {
            return "holds no more: " + lost.reason();
        } else if (effect instanceof Effect.Denied denied) {
            return "is denied: " + denied.reason();
        }
        return effect.getClass().getSimpleName();
    }

    private static String text(Message message) {
        if (message instanceof PaxosMessage.Prepare prepare) {
            return "PREPARE " + text(prepare.ballot());
        } else if (message instanceof PaxosMessage.Propose propose) {
            return "PROPOSE " + text(propose.ballot()) + " for " + units(propose.leaseNanos());
        } else if (message instanceof PaxosMessage.Extend extend) {
            return "EXTEND " + text(extend.incarnation())
                    + (extend.isByNumber()
                            ? " list " + extend.batchId()
                            : " from " + counter(extend.extensions().get(0).lowestCounter()));
        } else if (message instanceof PaxosMessage.Release release) {
            return "RELEASE " + text(release.incarnation()) + " up to " + counter(release.upToCounter());
        } else if (message instanceof PaxosMessage.Held held) {
            return "HELD by %s for %s; to %s"
                    .formatted(text(held.owner()), units(held.remainingNanos()), text(held.ballot()));
        } else if (message instanceof PaxosMessage.Stale stale) {
            return "STALE, promised " + counter(stale.promisedCounter()) + "; to " + text(stale.ballot());
        } else if (message instanceof PaxosMessage.Refused refused) {
            return "REFUSED " + refused.reason() + "; to " + text(refused.ballot());
        } else if (message instanceof PaxosMessage.Reply reply) {
            return reply.getClass().getSimpleName().toUpperCase(java.util.Locale.ROOT) + " " + text(reply.ballot());
        } else if (message instanceof PaxosMessage.Extended extended) {
            return extended.missing().isEmpty() ? "EXTENDED" : "UNKNOWN";
        }
        return message.getClass().getSimpleName().toUpperCase(java.util.Locale.ROOT);
    }

    private static String units(long nanos) {
        double units = nanos / (double) Cell.UNIT;
        return units == Math.rint(units) ? String.valueOf((long) units) : String.valueOf(units);
    }

    private static String text(Ballot ballot) {
        return counter(ballot.counter()) + "/" + text(ballot.incarnation());
    }

    private static String text(Incarnation incarnation) {
        return ExploredWorld.id((int) incarnation.high()) + "" + incarnation.low() / 1_000;
    }

    private static String counter(long counter) {
        return String.valueOf(counter - Cell.WALL);
    }
}
