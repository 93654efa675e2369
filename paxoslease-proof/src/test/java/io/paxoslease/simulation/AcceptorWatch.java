package io.paxoslease.simulation;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.paxos.Node;
import io.paxoslease.protocol.paxos.NodeProbe;
import io.paxoslease.protocol.paxos.NodeProbe.Live;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.simulation.RecordsChecker.Deed;
import io.paxoslease.simulation.RecordsChecker.Releasing;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Tells the checker what one acceptor says and remembers. Looks at it after each of its steps. */
final class AcceptorWatch implements MemoryWatch {

    private final World world;
    private final RecordsChecker checker;
    private final SimulatedNode node;
    private final boolean watches;
    private final @Nullable Deed[] records;
    private @Nullable NodeProbe probe;
    private Moment silentUntil = new Moment(0);
    private boolean silent;
    /** What was answered before the silence began may leave after it, when the process stands still in between. */
    private boolean answersOfThisTaskAreUnderWay;

    private List<Message> heard = List.of();
    /** In which its last proposal was made. */
    private int mode = Quorum.FIRST;
    /** What no promise made here may be below, by resource. */
    private final long[] promised;
    /** When this acceptor was last looked at: what it did since, it did later. */
    private Moment lastLook = new Moment(0);

    /** @param watches whether the node is an acceptor at all, in a cell of several */
    AcceptorWatch(World world, RecordsChecker checker, SimulatedNode node, boolean watches) {
        this.world = world;
        this.checker = checker;
        this.node = node;
        this.watches = watches;
        this.records = new Deed[world.scenario().resources()];
        this.promised = new long[world.scenario().resources()];
    }

    @Override
    public void born(Moment opened) {
        if (watches) {
            Arrays.fill(promised, Long.MIN_VALUE);
            lastLook = node.clock().moment();
            silence(opened.plusNanos(Scenario.quarantineNanos(node.file(), false)));
        }
    }

    private void silence(Moment until) {
        silentUntil = until;
        silent = node.clock().moment().isBefore(until);
        checker.mustBeSilent(world.now(), node.index(), realOf(until));
    }

    @Override
    public void made(LeaseAlgorithm participant) {
        probe = new NodeProbe((Node) participant);
    }

    private NodeProbe probe() {
        return Objects.requireNonNull(probe);
    }

    @Override
    public long incarnationOf(String resource, long token) {
        Incarnation incarnation = probe().incarnationOf(resource, token);
        return incarnation == null ? -1 : incarnation.low();
    }

    @Override
    public boolean isRenewing(String resource) {
        return probe().isRenewing(resource);
    }

    @Override
    public void gone() {
        if (watches) {
            Arrays.fill(records, null);
            Arrays.fill(promised, Long.MIN_VALUE);
            checker.crashed(node.index());
        }
        heard = List.of();
    }

    @Override
    public void look(Moment now) {
        if (!watches) {
            return;
        }
        NodeProbe probe = probe();
        // Before the silence that may have begun in the same task, after which nothing changes.
        for (int resource = 0; resource < records.length; resource++) {
            compare(resource, probe.live(world.resources().get(resource), now), now);
            long promise = probe.promised(world.resources().get(resource));
            if (promise < promised[resource]) {
                throw new HistoryChecker.Violation("acceptor %d took a promise back: from %d to %d"
                        .formatted(node.index(), promised[resource], promise));
            }
            promised[resource] = promise;
        }
        long silentNanos = probe.silentNanos(now);
        if (silentNanos > 0 && !silent) {
            world.statistics().met(Situation.QUARANTINE_WHILE_RUNNING);
            world.note(node.index(), "is silent for " + silentNanos + " ns");
            boolean sealed = node.liveLife().sealedAtLastLook() >= node.file().number();
            Moment atLeast = lastLook.plusNanos(Scenario.quarantineNanos(node.file(), sealed));
            if (now.plusNanos(silentNanos).isBefore(atLeast)) {
                throw new HistoryChecker.Violation(
                        "acceptor %d is silent for %d ns only".formatted(node.index(), silentNanos));
            }
            silence(now.plusNanos(silentNanos));
            answersOfThisTaskAreUnderWay = true;
        } else if (silentNanos == 0) {
            silent = false;
        } else if (silentUntil.isBefore(now.plusNanos(silentNanos))) {
            silence(now.plusNanos(silentNanos));
        }
        lastLook = now;
    }

    /** Deeds here are in the acceptor's own time. */
    private void compare(int resource, @Nullable Live live, Moment now) {
        Deed before = records[resource];
        if (live == null) {
            records[resource] = null;
            if (before != null && now.isBefore(new Moment(before.until()))) {
                checker.dropped(world.now(), node.index(), resource, releases(before));
            }
            return;
        }
        long until = now.plusNanos(live.remainingNanos()).nanos();
        long incarnation = live.ballot().incarnation().low();
        long counter = live.ballot().counter();
        if (before == null
                || before.until() != until
                || before.incarnation() != incarnation
                || before.counter() != counter) {
            boolean another = before != null
                    && (before.incarnation() != incarnation
                            || (before.counter() < counter && until - before.until() < 0));
            if (before != null && another && isReleased(before)) {
                // In the same task, before the node recorded the other: it gave up its own record, or heard of a
                // release; the next proposal of the same node may have come with that.
                checker.dropped(world.now(), node.index(), resource, releases(before));
            }
            records[resource] = new Deed(incarnation, counter, until);
            world.statistics().mix(incarnation ^ counter ^ until);
            world.seals().grants(node);
            checker.recorded(
                    world.now(), node.index(), resource, new Deed(incarnation, counter, realOf(new Moment(until))));
        }
    }

    private boolean isReleased(Deed record) {
        for (Releasing release : releases(record)) {
            if (release.incarnation() == record.incarnation() && release.upToCounter() >= record.counter()) {
                return true;
            }
        }
        return false;
    }

    /** What came in with this step; releases by the node itself do not travel, and count as heard. */
    private List<Releasing> releases(Deed record) {
        List<Releasing> releases = new ArrayList<>();
        for (Message received : heard) {
            Message message = received instanceof PaxosMessage.InMode inMode ? inMode.request() : received;
            if (message instanceof PaxosMessage.ReleaseTo to) {
                message = to.release();
            }
            if (message instanceof PaxosMessage.Release release) {
                releases.add(new Releasing(release.incarnation().low(), release.upToCounter()));
            }
        }
        if (node.isOwn(record.incarnation())) {
            releases.add(new Releasing(record.incarnation(), record.counter()));
        }
        return releases;
    }

    @Override
    public void clockChanged() {
        if (!watches) {
            return;
        }
        checker.silenceReclocked(node.index(), realOf(silentUntil));
        for (int resource = 0; resource < records.length; resource++) {
            Deed record = records[resource];
            if (record != null) {
                checker.reclocked(node.index(), resource, realOf(new Moment(record.until())));
            }
        }
    }

    private long realOf(Moment local) {
        return node.clock().realOf(local.nanos());
    }

    @Override
    public void hears(List<Message> messages) {
        NodeProbe probe = probe();
        heard = messages;
        for (Message message : messages) {
            if (message instanceof PaxosMessage.Stale) {
                world.statistics().met(Situation.DUEL);
            } else if (message instanceof PaxosMessage.Held) {
                world.statistics().met(Situation.HELD_BY_ANOTHER);
            } else if (message instanceof PaxosMessage.Accepted accepted
                    && !probe.isInFlight(accepted.resource(), accepted.attempt())) {
                world.statistics().met(Situation.LATE_ANSWER);
            } else if (message instanceof PaxosMessage.Request && silent) {
                world.statistics().met(Situation.REQUEST_DURING_QUARANTINE);
            }
        }
    }

    @Override
    public void listenedTo() {
        answersOfThisTaskAreUnderWay = false;
        heard = List.of();
    }

    @Override
    public int mode() {
        return mode;
    }

    @Override
    public void sends(List<Message> messages) {
        for (Message message : messages) {
            mode = message instanceof PaxosMessage.InMode inMode && inMode.request() instanceof PaxosMessage.Propose
                    ? inMode.mode()
                    : message instanceof PaxosMessage.Propose ? Quorum.FIRST : mode;
            if (message instanceof PaxosMessage.Answer && !answersOfThisTaskAreUnderWay) {
                checker.answered(world.now(), node.index());
            }
            if (message instanceof PaxosMessage.Refused) {
                world.statistics().met(Situation.REFUSED_TOO_FAR_AHEAD);
            }
            if (message instanceof PaxosMessage.Held held && held.askAgainNanos() > 0) {
                world.statistics().met(Situation.NO_ROOM_IN_THE_QUEUE);
            }
        }
    }
}
