package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.AcquireRequest.WaitMode;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Effect.Granted;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.LeaseView;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.paxos.ProtocolTestCell.InFlight;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;

/** A {@link ProtocolTestCell} as the tests of the paper's sentences use it: leases of at most a second, and guests who ask. */
final class PaperCell {

    /** Proposers that are no nodes of the cell: their messages are put into acceptors' hands. */
    static final NodeId X = new NodeId("x");

    static final NodeId Y = new NodeId("y");
    static final NodeId Z = new NodeId("z");

    final ProtocolTestCell cell;

    PaperCell(int size) {
        cell = new ProtocolTestCell(size, millis(1_000));
        cell.pass(millis(1));
    }

    static Duration millis(long millis) {
        return Duration.ofMillis(millis);
    }

    static long nanos(long millis) {
        return millis * 1_000_000;
    }

    /** The ballot of a guest: counters start above every acceptor's floor. */
    static Ballot ballot(NodeId guest, long counter) {
        return new Ballot(ProtocolTestCell.WALL + counter, incarnation(guest));
    }

    static Incarnation incarnation(NodeId guest) {
        return new Incarnation(99, guest.name().charAt(0));
    }

    PaxosMessage.Prepare prepare(NodeId guest, long counter) {
        return new PaxosMessage.Prepare("r", ballot(guest, counter), 1);
    }

    PaxosMessage.Propose propose(NodeId guest, long counter, long leaseMillis) {
        return new PaxosMessage.Propose("r", ballot(guest, counter), nanos(leaseMillis), 1);
    }

    PaxosMessage.Release release(NodeId guest, long counter) {
        return new PaxosMessage.Release("r", incarnation(guest), ProtocolTestCell.WALL + counter);
    }

    /** What the acceptor answers to that guest; empty when it is silent. */
    List<Message> ask(NodeId acceptor, NodeId guest, Message request) {
        cell.step(acceptor, new Event.Received(guest, request));
        return cell.hold(m -> m.to().equals(guest)).stream()
                .map(InFlight::message)
                .filter(message -> !(message instanceof PaxosMessage.Wanted)) // of another's question
                .toList();
    }

    /** The one answer of the acceptor to that guest. */
    Message answer(NodeId acceptor, NodeId guest, Message request) {
        List<Message> answers = ask(acceptor, guest, request);
        if (answers.size() != 1) {
            throw new AssertionError("Not one answer: " + answers);
        }
        return answers.get(0);
    }

    Granted acquired(NodeId id, String resource, long leaseMillis, boolean renewed) {
        cell.acquire(id, resource, leaseMillis, renewed);
        cell.deliverAll();
        return cell.last(id, Granted.class);
    }

    /**
     * The node's first attempt has met another's ballot at every acceptor, so its next one begins by asking: its PREPARE requests are
     * all that is in flight.
     */
    PaxosMessage.Prepare preparesAfterADuel(NodeId id, long leaseMillis) {
        cell.acquire(id, "r", leaseMillis, false);
        PaxosMessage.Propose first = inFlight(id, PaxosMessage.Propose.class).get(0);
        Ballot ballot = first.ballot();
        cell.ids.stream()
                .filter(other -> !other.equals(id))
                .map(other -> new Event.Received(
                        other, new PaxosMessage.Stale("r", ballot, first.attempt(), ballot.counter())))
                .forEach(stale -> cell.step(id, stale));
        cell.network.clear();
        Moment retry = Objects.requireNonNull(cell.node(id).nextDeadline());
        cell.jump(Duration.ofNanos(cell.now(id).moment().nanosUntil(retry)));
        cell.step(id, new Event.Woken());
        return inFlight(id, PaxosMessage.Prepare.class).get(0);
    }

    /** A third of the lease time is over, and what is renewed together has gathered. */
    void renewalIsDue(NodeId id, long leaseMillis) {
        cell.jump(millis(leaseMillis / 3));
        cell.step(id, new Event.Woken());
        cell.jump(millis(leaseMillis / 24 + 1));
        cell.step(id, new Event.Woken());
    }

    void asksOnce(NodeId id, String resource, long leaseMillis) {
        cell.acquire(id, resource, leaseMillis, false, WaitMode.TRY_ONCE, null);
    }

    /** Whether the node believes at this instant that it holds the resource. */
    boolean holds(NodeId id, String resource) {
        LeaseView view = cell.node(id).view(resource, cell.now(id));
        return view != null && view.state() == LeaseView.State.HELD && view.remainingNanos() > 0;
    }

    <M extends Message> List<M> inFlight(NodeId from, Class<M> type) {
        return cell.network.stream()
                .filter(m -> m.from().equals(from) && type.isInstance(m.message()))
                .map(m -> type.cast(m.message()))
                .toList();
    }

    /** Delivers what is in flight now, but not the answers to it. */
    void deliverOneWay() {
        handOver(cell.hold(m -> true));
    }

    void handOver(List<InFlight> messages) {
        messages.forEach(m -> cell.step(m.to(), new Event.Received(m.from(), m.message())));
    }

    /** Everything between the two and everybody else is lost. */
    static boolean isAmong(InFlight message, NodeId one, NodeId other) {
        return (message.from().equals(one) || message.from().equals(other))
                && (message.to().equals(one) || message.to().equals(other));
    }

    static boolean concerns(InFlight message, NodeId id) {
        return message.from().equals(id) || message.to().equals(id);
    }

    /** A proposer that is no acceptor; the cell answers it at once. */
    final class Guest {

        private final NodeId id;
        private final Node node;
        private final List<Effect> effects = new ArrayList<>();

        Guest(String name) {
            id = new NodeId(name);
            node = new Node(
                    id,
                    new Quorum(cell.ids),
                    cell.timing,
                    null,
                    () -> new Incarnation(98, name.hashCode()),
                    new SplittableRandom(1),
                    cell.now(id));
        }

        void acquire(String resource, long leaseMillis) {
            step(new Event.Acquire(
                    new AcquireRequest(1, resource, nanos(leaseMillis), false, WaitMode.TRY_ONCE, null)));
        }

        void giveUp(String resource) {
            step(new Event.GiveUp(resource, granted().token()));
        }

        Granted granted() {
            return effects.stream()
                    .filter(Granted.class::isInstance)
                    .map(Granted.class::cast)
                    .findFirst()
                    .orElseThrow(() -> new AssertionError(id + " was granted nothing: " + effects));
        }

        private void step(Event event) {
            for (Effect effect : OneByOne.of(node.step(event, cell.now(id)))) {
                if (effect instanceof Effect.Send send) {
                    cell.step(send.to(), new Event.Received(id, send.message()));
                } else {
                    effects.add(effect);
                }
            }
            for (InFlight answer : cell.hold(m -> m.to().equals(id))) {
                step(new Event.Received(answer.from(), answer.message()));
            }
        }
    }
}
