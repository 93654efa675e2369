package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A proposer that asks whenever any advice could make it ask, in any mode that it may use. It is no member. */
final class CoreProposer implements CorePart {

    private final CoreCell cell;
    private final int number;
    private final Incarnation incarnation;
    private Moment now = new Moment(0);
    private int attempts;
    /** The last one that it has drawn. */
    private long counter;

    private @Nullable Quorum quorum;
    private @Nullable Attempt attempt;
    private @Nullable Tenure tenure;

    CoreProposer(CoreCell cell, int number) {
        this.cell = cell;
        this.number = number;
        this.incarnation = new Incarnation(number, 1);
    }

    boolean believes() {
        return tenure != null && !tenure.isOver(CoreCell.reading(now));
    }

    private boolean can(int code) {
        if (code >= RELEASE) {
            return attempts > 0;
        }
        return attempts < cell.counters[number].length && (code < EXTEND || (cell.extendsToo && tenure != null));
    }

    /** Whether the answer may change anything, now or later. */
    private boolean awaits(PaxosMessage answer) {
        Attempt current = attempt;
        if (current == null || !now.isBefore(current.until.moment())) {
            return false;
        } else if (answer instanceof PaxosMessage.Extended extended) {
            return current.phase() == Attempt.Phase.EXTENDING && extended.attempt() == current.id;
        }
        return current.phase() == Attempt.Phase.PROPOSING && current.isEcho((PaxosMessage.Reply) answer);
    }

    @Override
    public List<Integer> codes() {
        List<Integer> codes = new ArrayList<>(List.of(TICK));
        for (int mode = Quorum.FIRST; mode <= 2 * cell.contents(); mode++) {
            for (int code : new int[] {PROPOSE, EXTEND}) {
                if (can(code)) {
                    codes.add(code + mode);
                }
            }
        }
        if (cell.releases > 0 && can(RELEASE)) {
            codes.add(RELEASE);
        }
        return codes;
    }

    @Override
    public List<Object> visible() {
        return List.of(believes(), can(PROPOSE), can(EXTEND), can(RELEASE));
    }

    /** One that believes, or may ask, can break more than one that does not. */
    @Override
    public boolean looksLessThan(CorePart other) {
        List<Object> own = visible();
        List<Object> others = other.visible();
        return IntStream.range(0, own.size())
                .allMatch(
                        each -> own.get(each).equals(false) || others.get(each).equals(true));
    }

    /** Which acceptors are sent the request, as bits. */
    int receivers(PaxosMessage request) {
        int receivers = 0;
        for (int acceptor = 0; acceptor < cell.acceptors(); acceptor++) {
            boolean isAsked = request instanceof PaxosMessage.Release
                    || Objects.requireNonNull(quorum).contains(CoreCell.id(acceptor));
            receivers |= isAsked ? 1 << acceptor : 0;
        }
        return receivers;
    }

    @Override
    public List<PaxosMessage> step(int code, @Nullable PaxosMessage received, int from) {
        PaxosMessage sent = null;
        if (code == TICK) {
            now = now.plusNanos(CoreCell.UNIT);
        } else if (code == RECEIVE) {
            receive(CoreCell.id(from), Objects.requireNonNull(received));
        } else if (code >= RELEASE) {
            sent = release();
        } else {
            sent = code >= EXTEND ? start(code - EXTEND, true) : start(code - PROPOSE, false);
        }
        if (!believes()) {
            tenure = null;
        }
        return sent == null ? List.of() : List.of(sent);
    }

    private PaxosMessage start(int mode, boolean confirms) {
        boolean sealed = mode % 2 == 0;
        Generation generation = cell.content((mode + 1) / 2);
        quorum = generation.quorum(sealed);
        Tenure held = tenure;
        counter = confirms ? counter : CoreCell.WALL + cell.counters[number][attempts];
        attempts++;
        Attempt started = new Attempt(
                attempts,
                confirms ? Attempt.Kind.CONFIRM : held == null ? Attempt.Kind.ACQUIRE : Attempt.Kind.RENEW,
                false,
                CoreCell.RESOURCE,
                new Ballot(confirms ? Objects.requireNonNull(held).counter : counter, incarnation),
                generation.timing(sealed).maxLeaseNanos(),
                quorum,
                CoreCell.reading(now),
                now);
        attempt = started;
        return confirms ? started.confirm() : started.propose(PaxosMessage.QueueMode.NONE, 0, 0);
    }

    private void receive(NodeId from, PaxosMessage answer) {
        Attempt current = attempt;
        if (current == null
                || !awaits(answer)
                || !Objects.requireNonNull(quorum).contains(from)) {
            return; // from one that was not asked, none comes
        }
        if (answer instanceof PaxosMessage.Extended extended) {
            current.takes(from, extended);
        } else {
            current.takes(from, (PaxosMessage.Reply) answer);
        }
        if (!current.hasQuorumBeforeDeadline(CoreCell.reading(now))) {
            return;
        }
        if (tenure != null) {
            tenure.extend(current, CoreCell.reading(now));
        } else if (current.kind != Attempt.Kind.CONFIRM) {
            tenure = new Tenure(current, true, 0, CoreCell.reading(now));
        }
        attempt = null;
    }

    /** P6: it stops relying on all that it has or has asked for. */
    private PaxosMessage release() {
        tenure = null;
        attempt = null;
        return new PaxosMessage.Release(CoreCell.RESOURCE, incarnation, counter);
    }

    @SuppressWarnings("NullAway") // it does not see the annotation of what it overrides in the other jar
    @Override
    public List<@Nullable Object> print() {
        List<@Nullable Object> print = new ArrayList<>(List.of(attempts, counter));
        if (tenure != null) {
            print.addAll(
                    Arrays.asList(tenure.counter, now.nanosUntil(tenure.until().moment())));
        }
        Attempt current = attempt;
        if (current != null) {
            long left = Math.max(0, now.nanosUntil(current.until.moment()));
            print.addAll(Arrays.asList(current.kind, current.phase(), left));
            if (left > 0) {
                print.add(Objects.requireNonNull(quorum).mode());
                print.add(Objects.requireNonNull(quorum).content());
            }
        }
        return print;
    }

    @Override
    public long printOf(int acceptor) {
        Attempt current = attempt;
        if (current == null || !now.isBefore(current.until.moment())) {
            return 0;
        }
        NodeId id = CoreCell.id(acceptor);
        return Objects.requireNonNull(quorum).contains(id) && current.yes.contains(id) ? 1 : 0;
    }
}
