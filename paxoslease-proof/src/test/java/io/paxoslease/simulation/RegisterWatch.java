package io.paxoslease.simulation;

import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.LeaseView;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.NodeView;
import io.paxoslease.protocol.flease.FleaseMessage;
import io.paxoslease.protocol.flease.FleaseNode;
import io.paxoslease.protocol.flease.FleaseProbe;
import io.paxoslease.protocol.flease.Stored;
import io.paxoslease.simulation.RegistersChecker.Entry;
import io.paxoslease.simulation.RegistersChecker.Round;
import io.paxoslease.simulation.RegistersChecker.Value;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Tells the checker what one node that runs Flease says and remembers. */
final class RegisterWatch implements MemoryWatch {

    /** One of so many looks asks the node what it is certain of. */
    private static final int EVERY = 4;

    private final World world;
    private final FleaseSubject subject;
    private final RegistersChecker checker;
    private final SimulatedNode node;
    private final boolean watches;
    private final Entry[] entries;
    private final Round[] promised;
    private @Nullable FleaseProbe probe;
    private Moment silentUntil = new Moment(0);
    private boolean silent;
    private boolean inBound;
    /** What was answered before the silence began may leave after it, when the process stands still in between. */
    private boolean answersOfThisTaskAreUnderWay;

    /** When its last task was over: what it did since, it did later. */
    private Moment lastLook = new Moment(0);

    private int looks;

    RegisterWatch(World world, FleaseSubject subject, RegistersChecker checker, SimulatedNode node, boolean watches) {
        this.world = world;
        this.subject = subject;
        this.checker = checker;
        this.node = node;
        this.watches = watches;
        this.entries = new Entry[world.scenario().resources()];
        this.promised = new Round[world.scenario().resources()];
    }

    SimulatedNode node() {
        return node;
    }

    @Override
    public void born(Moment opened) {
        forget();
        inBound = false;
        if (watches) {
            lastLook = node.clock().moment();
            silence(opened.plusNanos(world.scenario().recoveryNanos()));
        }
    }

    private void forget() {
        Arrays.fill(entries, Entry.NOTHING);
        Arrays.fill(promised, Round.NONE);
    }

    private void silence(Moment until) {
        silentUntil = until;
        silent = node.clock().moment().isBefore(until);
        checker.mustBeSilent(world.now(), node.index(), node.clock().realOf(until.nanos()));
    }

    @Override
    public void made(LeaseAlgorithm participant) {
        probe = new FleaseProbe((FleaseNode) participant);
    }

    private FleaseProbe probe() {
        return Objects.requireNonNull(probe);
    }

    @Override
    public void gone() {
        forget();
        probe = null;
        if (watches) {
            checker.crashed(node.index());
        }
    }

    /** Whether it would take part if it did something now. */
    boolean takesPart() {
        return probe != null
                && !node.standsStill()
                && !probe.willNotice(node.clock().readingNow())
                && takesPart(view());
    }

    private static boolean takesPart(NodeView view) {
        return view.clockInBounds() && view.quarantineRemainingNanos() == 0;
    }

    private NodeView view() {
        return probe().view(node.clock().readingNow());
    }

    @Override
    public void look(Moment now) {
        NodeView view = view();
        if (watches) {
            // A silence that has begun in the same task comes first: with it, everything was forgotten.
            lookAtSilence(view.quarantineRemainingNanos(), now);
            for (int resource = 0; resource < entries.length; resource++) {
                compare(resource);
            }
        }
        if (view.clockInBounds() != inBound) {
            inBound = !inBound;
            world.statistics().met(inBound ? Situation.BACK_IN_BOUND : Situation.OUT_OF_BOUND);
            world.note(node.index(), inBound ? "knows a majority's clocks to be near" : "is out of the bound");
        }
        if (takesPart(view) && ++looks % EVERY == 0) {
            lookForCertainty();
        }
    }

    private void compare(int resource) {
        String name = world.resources().get(resource);
        Round promise = round(probe().promised(name));
        Entry entry = entry(probe().stored(name));
        boolean promisedFirst = promise.compareTo(entry.written()) <= 0;
        if (promisedFirst) {
            compare(resource, promise);
        }
        if (!entry.equals(entries[resource])) {
            entries[resource] = entry;
            world.statistics().mix(entry.hashCode());
            checker.stored(world.now(), node.index(), resource, entry);
        }
        if (!promisedFirst) {
            compare(resource, promise);
        }
    }

    private void compare(int resource, Round promise) {
        if (!promise.equals(promised[resource]) && !promise.equals(Round.NONE)) {
            checker.promised(world.now(), node.index(), resource, promise);
        }
        promised[resource] = promise;
    }

    private static Entry entry(Stored stored) {
        return stored.equals(Stored.NOTHING)
                ? Entry.NOTHING
                : new Entry(round(stored.written()), value(stored.value()));
    }

    private static Value value(io.paxoslease.protocol.flease.Value value) {
        io.paxoslease.protocol.flease.Value.Owner owner = value.owner();
        return owner == null
                ? new Value(true, 0, value.token(), 0)
                : new Value(false, owner.incarnation().low(), value.token(), value.endMicros());
    }

    private static Round round(io.paxoslease.protocol.flease.Round round) {
        return round.equals(io.paxoslease.protocol.flease.Round.NONE)
                ? Round.NONE
                : new Round(round.slot(), round.draw(), number(round.node()));
    }

    private static int number(NodeId id) {
        return Integer.parseInt(id.name().substring(1));
    }

    private void lookAtSilence(long silentNanos, Moment now) {
        if (silentNanos > 0 && !silent) {
            world.statistics().met(Situation.QUARANTINE_WHILE_RUNNING);
            world.note(node.index(), "is silent for " + silentNanos + " ns");
            Moment atLeast = lastLook.plusNanos(world.scenario().recoveryNanos());
            if (now.plusNanos(silentNanos).isBefore(atLeast)) {
                throw new HistoryChecker.Violation(
                        "node %d is silent for %d ns only".formatted(node.index(), silentNanos));
            }
            forget();
            silence(now.plusNanos(silentNanos));
            answersOfThisTaskAreUnderWay = true;
        } else if (silentNanos == 0) {
            silent = false;
        } else if (silentUntil.isBefore(now.plusNanos(silentNanos))) {
            forget();
            silence(now.plusNanos(silentNanos));
        }
    }

    private void lookForCertainty() {
        for (int resource = 0; resource < entries.length; resource++) {
            LeaseView view =
                    probe().view(world.resources().get(resource), node.clock().readingNow());
            NodeId owner =
                    view == null || !view.certain() || view.state() == LeaseView.State.HELD ? null : view.owner();
            if (owner != null) {
                world.statistics().met(Situation.CERTAIN_ANSWER);
                checker.certain(world.now(), node.index(), resource, number(owner));
            }
        }
    }

    @Override
    public void clockChanged() {
        subject.lookAtClocks();
        if (watches) {
            checker.silenceReclocked(node.index(), node.clock().realOf(silentUntil.nanos()));
        }
    }

    @Override
    public void hears(List<Message> messages) {
        for (Message message : messages) {
            if (message instanceof FleaseMessage.Nack) {
                world.statistics().met(Situation.DUEL);
            } else if (message instanceof FleaseMessage.WriteAck ack
                    && !probe().isInFlight(ack.resource(), ack.attempt())) {
                world.statistics().met(Situation.LATE_ANSWER);
            } else if (message instanceof FleaseMessage.Request && silent) {
                world.statistics().met(Situation.REQUEST_DURING_QUARANTINE);
            }
        }
    }

    @Override
    public void listenedTo() {
        answersOfThisTaskAreUnderWay = false;
        lastLook = node.clock().moment();
    }

    @Override
    public void sends(List<Message> messages) {
        for (Message message : messages) {
            boolean ofRegister = message instanceof FleaseMessage.OfAttempt || message instanceof FleaseMessage.Known;
            if (ofRegister && !answersOfThisTaskAreUnderWay) {
                checker.answered(world.now(), node.index());
            }
            if (ofRegister && takesPart()) {
                subject.takesPart(node);
            }
            if (message instanceof FleaseMessage.Write write) {
                writes(write);
            }
        }
    }

    private void writes(FleaseMessage.Write write) {
        io.paxoslease.protocol.flease.Value.Owner owner = write.value().owner();
        boolean isOwner = owner != null && owner.node().equals(node.id());
        if (owner != null && !isOwner) {
            world.statistics().met(Situation.WRITTEN_BACK);
        }
        int resource = world.resources().indexOf(write.resource());
        checker.writes(world.now(), node.index(), resource, value(write.value()), isOwner);
    }

    @Override
    public long incarnationOf(String resource, long token) {
        return probe().incarnationOf(resource, token);
    }

    @Override
    public boolean isRenewing(String resource) {
        return probe().isRenewing(resource);
    }
}
