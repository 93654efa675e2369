package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.paxoslease.NodeMode;
import io.paxoslease.PaxosLeaseException;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.protocol.registers.MaxRegisterMessage;
import io.paxoslease.protocol.registers.MaxRegisterMessage.Entry;
import io.paxoslease.protocol.registers.MaxRegisterMessage.KnownRegisters;
import io.paxoslease.protocol.registers.MaxRegisterMessage.RaiseRegister;
import io.paxoslease.protocol.registers.MaxRegisterMessage.ReadRegister;
import io.paxoslease.protocol.registers.MaxRegisterMessage.RegisterValue;
import io.paxoslease.protocol.registers.MaxRegisterMessage.Request;
import io.paxoslease.protocol.registers.RegisterMode;
import io.paxoslease.protocol.registers.RegisterValues;
import io.paxoslease.transport.Transport;
import java.lang.reflect.Field;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The registers of one node, message by message. */
class NodeRegistersTest {

    private static final NodeId A = new NodeId("a");
    private static final NodeId B = new NodeId("b");
    private static final NodeId C = new NodeId("c");
    private static final NodeId D = new NodeId("d");
    private static final NodeId Z = new NodeId("z");
    private static final Duration LIMIT = Duration.ofSeconds(3);
    private static final PaxosLeaseOptions CLIENT = PaxosLeaseOptions.builder("z")
            .mode(NodeMode.CLIENT)
            .peer("a", "localhost:1")
            .peer("b", "localhost:2")
            .peer("c", "localhost:3")
            .build();

    private record Sent(NodeId to, Message message) {}

    private final List<Sent> sent = new ArrayList<>();
    private final List<Throwable> faults = new ArrayList<>();
    private @Nullable InternalError fault;
    private Generation generation = Generation.first(list(A, B, C));
    private Quorum quorum = generation.quorum(true);

    private static MemberList list(NodeId... members) {
        return new MemberList(List.of(members), Duration.ofSeconds(5), 0.1);
    }

    private final class Wire implements Transport {

        @Override
        public void send(NodeId to, List<Message> messages) {
            messages.forEach(message -> sent.add(new Sent(to, message)));
        }

        @Override
        public String sourceOf(NodeId client) {
            return client.name().startsWith("of-one-") ? "one" : "another";
        }
    }

    private NodeRegisters registers(PaxosLeaseOptions options) {
        HandEnvironment hand = new HandEnvironment(new HandClock());
        hand.loop.runAtOnce(() -> {});
        NodeEnvironment environment = new DelegatingEnvironment(hand) {
            @Override
            public Transport transport() {
                return new Wire();
            }
        };
        LeaseAlgorithm machine = (LeaseAlgorithm) Proxy.newProxyInstance(
                LeaseAlgorithm.class.getClassLoader(), new Class<?>[] {LeaseAlgorithm.class}, (proxy, method, args) -> {
                    if (fault != null) {
                        throw fault;
                    }
                    return switch (method.getName()) {
                        case "generation" -> generation;
                        case "quorum" -> quorum;
                        default -> throw new IllegalStateException("registers need no more of it: " + method);
                    };
                });
        return new NodeRegisters(options, environment, StartedNodes.counts(), machine, this::guard);
    }

    private void guard(Runnable code) {
        try {
            code.run();
        } catch (RuntimeException | Error failure) {
            faults.add(failure);
        }
    }

    private NodeRegisters client() {
        return registers(CLIENT);
    }

    private NodeRegisters member() {
        return registers(HandEnvironment.OPTIONS);
    }

    private long lastNumber() {
        return ((Request) sent.get(sent.size() - 1).message()).number();
    }

    private static void answer(NodeRegisters registers, NodeId from, long number, @Nullable Long value) {
        OptionalLong known = value == null ? OptionalLong.empty() : OptionalLong.of(value);
        registers.received(from, List.of(new RegisterValue(number, known)));
    }

    @Test
    void aClientAsksEveryMember() {
        NodeRegisters client = client();
        client.raise("r", 5, LIMIT);
        long number = lastNumber();
        assertThat(sent)
                .containsExactly(
                        new Sent(A, new RaiseRegister(number, "r", 5)),
                        new Sent(B, new RaiseRegister(number, "r", 5)),
                        new Sent(C, new RaiseRegister(number, "r", 5)));
    }

    @Test
    void answersThatComeTwiceOrToAnotherQuestionOrFromAStrangerDoNotCount() {
        NodeRegisters client = client();
        CompletableFuture<OptionalLong> first = client.read("r", LIMIT);
        long old = lastNumber();
        CompletableFuture<OptionalLong> read = client.read("r", LIMIT);
        long number = lastNumber();
        answer(client, A, number, 1L);
        answer(client, A, number, 3L);
        answer(client, B, old, 9L);
        answer(client, B, number + 1, 9L);
        answer(client, Z, number, 2L);
        assertThat(read).isNotDone();
        answer(client, C, number, null);
        assertThat(read).isCompletedWithValue(OptionalLong.of(3));

        answer(client, B, number, 9L); // late
        assertThat(read).isCompletedWithValue(OptionalLong.of(3));
        assertThat(first).isNotDone();
        answer(client, A, old, null);
        assertThat(first).isCompletedWithValue(OptionalLong.of(9));
    }

    /** So that an answer that was under way when the node stopped is none to its next life. */
    @Test
    void aLaterLifeOfTheNodeAsksOtherQuestions() {
        client().read("r", LIMIT);
        long first = lastNumber();
        client().read("r", LIMIT);
        assertThat(lastNumber()).isNotEqualTo(first);
    }

    @Test
    void aMemberIsOneOfTheMajorityAndAsksTheOthers() {
        NodeRegisters member = member();
        CompletableFuture<OptionalLong> raised = member.raise("r", 5, LIMIT);
        assertThat(sent).extracting(Sent::to).containsExactly(B, C);
        assertThat(raised).isNotDone();
        answer(member, C, lastNumber(), 7L);
        assertThat(raised).isCompletedWithValue(OptionalLong.of(7));
    }

    @Test
    void aMemberAnswersWhatItKnows() {
        NodeRegisters member = member();
        member.received(
                Z,
                List.of(
                        new ReadRegister(1, "r"),
                        new RaiseRegister(2, "r", 5),
                        new RaiseRegister(3, "r", 4),
                        new ReadRegister(4, "r")));
        assertThat(sent)
                .containsExactly(
                        new Sent(Z, new RegisterValue(1, OptionalLong.empty())),
                        new Sent(Z, new RegisterValue(2, OptionalLong.of(5))),
                        new Sent(Z, new RegisterValue(3, OptionalLong.of(5))),
                        new Sent(Z, new RegisterValue(4, OptionalLong.of(5))));
    }

    /** Else one message of a client would crowd out a hundred registers of others. */
    @Test
    void aMemberLearnsFromMembersAndNotFromClients() {
        NodeRegisters member = member();
        member.received(Z, List.of(new KnownRegisters(List.of(new Entry("r", 3)))));
        member.received(B, List.of(new KnownRegisters(List.of(new Entry("s", 6)))));
        member.received(Z, List.of(new ReadRegister(1, "r"), new ReadRegister(2, "s")));
        assertThat(sent)
                .containsExactly(
                        new Sent(Z, new RegisterValue(1, OptionalLong.empty())),
                        new Sent(Z, new RegisterValue(2, OptionalLong.of(6))));
    }

    @Test
    void noClientCrowdsOutWhatOthersHaveRaised() {
        NodeRegisters member = member();
        member.received(B, List.of(new RaiseRegister(1, "of a member", 1)));
        member.received(new NodeId("y"), List.of(new RaiseRegister(2, "of a client", 2)));
        for (int i = 0; i <= RegisterValues.MOST; i++) {
            member.received(Z, List.of(new RaiseRegister(3, "r" + i, 3)));
        }
        sent.clear();
        member.received(Z, List.of(new ReadRegister(4, "of a member"), new ReadRegister(5, "of a client")));
        assertThat(sent)
                .containsExactly(
                        new Sent(Z, new RegisterValue(4, OptionalLong.of(1))),
                        new Sent(Z, new RegisterValue(5, OptionalLong.of(2))));
    }

    @Test
    void norDoesOneUnderManyIdsWhatComesFromElsewhere() {
        NodeRegisters member = member();
        member.received(Z, List.of(new RaiseRegister(1, "from elsewhere", 2)));
        for (int i = 0; i <= RegisterValues.MOST_OF_CLIENTS; i++) {
            member.received(new NodeId("of-one-" + i), List.of(new RaiseRegister(2, "r" + i, 3)));
        }
        sent.clear();
        member.received(Z, List.of(new ReadRegister(3, "from elsewhere"), new ReadRegister(4, "r0")));
        assertThat(sent)
                .containsExactly(
                        new Sent(Z, new RegisterValue(3, OptionalLong.of(2))),
                        new Sent(Z, new RegisterValue(4, OptionalLong.empty())));
    }

    @Test
    void aClientAnswersNothing() {
        client().received(A, List.of(new ReadRegister(1, "r"), new RaiseRegister(2, "r", 5)));
        assertThat(sent).isEmpty();
    }

    @Test
    void aMemberThatComesBackIsAskedWhatItHasNotAnsweredAndWhatThisClientHasRaised() {
        NodeRegisters client = client();
        client.reachable(A);
        client.raise("r", 5, LIMIT);
        long number = lastNumber();
        answer(client, B, number, 5L);
        sent.clear();

        client.reachable(A);
        assertThat(sent).as("it was reachable all the time").isEmpty();
        client.unreachable(A);
        client.reachable(A);
        client.reachable(A);
        client.reachable(B);
        client.reachable(Z);
        long told = lastNumber();
        assertThat(sent)
                .as("B has answered what is still open")
                .containsExactly(
                        new Sent(A, new RaiseRegister(number, "r", 5)),
                        new Sent(A, new RaiseRegister(told - 1, "r", 5)),
                        new Sent(B, new RaiseRegister(told, "r", 5)));
    }

    @Test
    void aMemberThatComesBackIsToldOnceWhateverConnectionsAreMade() {
        NodeRegisters member = member();
        member.reachable(B);
        member.received(C, List.of(new RaiseRegister(1, "r", 5)));
        sent.clear();
        member.reachable(B);
        assertThat(sent).as("it was reachable all the time").isEmpty();
        member.unreachable(B);
        member.reachable(B);
        member.reachable(B);
        member.reachable(Z);
        assertThat(sent)
                .containsExactly(
                        new Sent(B, new KnownRegisters(List.of(new Entry("r", 5)))),
                        new Sent(B, new ReadRegister(lastNumber(), "r")));
    }

    /** It says so in its handshake, before this node's own generation names it. */
    @Test
    void aMemberOfTheNextGenerationIsToldWhenItIsMet() {
        NodeRegisters member = member();
        member.raise("r", 5, LIMIT);
        sent.clear();
        Generation next = new Generation(2, list(A, D), generation.current());
        member.met(Z, next);
        member.reachable(Z);
        member.reachable(D);
        assertThat(sent).isEmpty();
        member.met(D, next);
        assertThat(sent).hasSize(2).contains(new Sent(D, new KnownRegisters(List.of(new Entry("r", 5)))));

        member.unreachable(D);
        member.reachable(D);
        assertThat(sent).as("it may be another node now").hasSize(2);
    }

    @Test
    void whileMembersChangeMajoritiesOfBothListsAnswerInOneMode() {
        NodeRegisters client = client();
        CompletableFuture<OptionalLong> read = client.read("r", LIMIT);
        long number = lastNumber();
        answer(client, A, number, null);
        sent.clear();
        quorum = new Generation(2, list(C, D), generation.current()).quorum(false);
        client.look();
        assertThat(sent).extracting(Sent::to).containsExactly(A, B, C, D);
        assertThat(sent).extracting(each -> ((Request) each.message()).mode()).containsOnly(RegisterMode.of(quorum));
        assertThat(lastNumber()).isNotEqualTo(number);
        answer(client, B, number, 9L);
        number = lastNumber();
        answer(client, B, number, null);
        answer(client, C, number, null);
        assertThat(read).as("what was answered in another mode does not count").isNotDone();
        answer(client, A, number, null);
        assertThat(read).isNotDone();
        answer(client, D, number, 4L);
        assertThat(read).isCompletedWithValue(OptionalLong.of(4));

        quorum = new Generation(2, list(C, D), generation.current()).quorum(true);
        sent.clear();
        client.read("r", LIMIT);
        assertThat(sent).extracting(Sent::to).containsExactly(C, D);
    }

    /** So the old list decides nothing any more once a majority of it has moved, and nothing that it has decided is forgotten. */
    @Test
    void aMemberThatHasMovedAnswersNothingOfTheOldListAloneAndTellsWhatItKnows() {
        NodeRegisters member = member();
        List.of(B, C).forEach(member::reachable);
        member.received(Z, List.of(new RaiseRegister(1, "r", 5)));
        Generation next = new Generation(2, list(A, D), generation.current());
        RegisterMode joint = RegisterMode.of(next.quorum(false));
        member.received(Z, List.of(new RaiseRegister(2, "r", 6, joint)));
        assertThat(sent)
                .containsExactly(
                        new Sent(Z, new RegisterValue(1, OptionalLong.of(5))),
                        new Sent(Z, new RegisterValue(2, OptionalLong.of(6))));
        sent.clear();
        generation = next;
        member.received(
                Z,
                List.of(
                        new RaiseRegister(3, "r", 7),
                        new ReadRegister(4, "r"),
                        new ReadRegister(5, "r", joint),
                        new ReadRegister(6, "r", RegisterMode.of(next.quorum(true))),
                        new ReadRegister(7, "r", new RegisterMode(joint.number(), joint.content() + 1)),
                        new ReadRegister(8, "r", new RegisterMode(joint.number() + 2, joint.content()))));
        assertThat(sent.stream().filter(each -> each.to().equals(Z)))
                .containsExactly(
                        new Sent(Z, new RegisterValue(5, OptionalLong.of(6))),
                        new Sent(Z, new RegisterValue(6, OptionalLong.of(6))));
        assertThat(sent)
                .contains(
                        new Sent(B, new KnownRegisters(List.of(new Entry("r", 6)))),
                        new Sent(C, new KnownRegisters(List.of(new Entry("r", 6)))));
    }

    /** As that to the new list alone: members that were restarted may have learned meanwhile what they had forgotten. */
    @Test
    void aMemberTellsAgainInEachMode() {
        NodeRegisters member = member();
        member.reachable(B);
        member.received(B, List.of(new KnownRegisters(List.of(new Entry("r", 5)))));
        assertThat(sent).isEmpty();
        quorum = new Generation(2, list(A, B, D), generation.current()).quorum(false);
        member.look();
        assertThat(sent).contains(new Sent(B, new KnownRegisters(List.of(new Entry("r", 5)))));
    }

    /** Its own answer is one of those that count. */
    @Test
    void aMemberThatHasMovedDoesNotAnswerItselfForTheOldListAlone() {
        NodeRegisters member = member();
        generation = new Generation(2, list(A, D), generation.current());
        CompletableFuture<OptionalLong> raised = member.raise("r", 5, LIMIT);
        answer(member, B, lastNumber(), 5L);
        assertThat(raised).isNotDone();
    }

    @Test
    void nothingIsAnsweredNorAskedAfterTheEnd() {
        NodeRegisters member = member();
        CompletableFuture<OptionalLong> before = member.read("r", LIMIT);
        sent.clear();
        member.end(new PaxosLeaseException("over"));
        CompletableFuture<OptionalLong> after = member.raise("r", 5, LIMIT);
        member.received(B, List.of(new ReadRegister(1, "r")));

        assertThat(before).isCompletedExceptionally();
        assertThat(after).isCompletedExceptionally();
        assertThat(sent).isEmpty();
    }

    /** What fails once a call has left the table, as for want of memory, keeps no caller waiting. */
    @Test
    void aCallStaysInTheTableUntilItIsAnswered() throws ReflectiveOperationException {
        NodeRegisters member = member();
        boolean[] full = {false};
        Field calls = NodeRegisters.class.getDeclaredField("calls");
        calls.setAccessible(true);
        calls.set(member, new ConcurrentHashMap<Long, RegisterQuestion>() {
            @Override
            public @Nullable RegisterQuestion remove(Object number) {
                RegisterQuestion removed = super.remove(number);
                if (full[0]) {
                    throw new OutOfMemoryError("planted");
                }
                return removed;
            }
        });
        CompletableFuture<OptionalLong> answered = member.read("r", LIMIT);
        full[0] = true;
        Throwable unused = catchThrowable(() -> answer(member, B, lastNumber(), 5L));
        CompletableFuture<OptionalLong> begun = member.read("s", LIMIT);
        full[0] = false;
        member.end(new PaxosLeaseException("over"));

        assertThat(answered).isDone();
        assertThat(begun).isDone();
    }

    /** The thread of the node would go on without the call, which is never asked again. */
    @Test
    void aFaultInWhatTheThreadDoesForACallIsTheNodes() {
        NodeRegisters client = client();
        fault = new InternalError("planted");
        CompletableFuture<OptionalLong> read = client.read("r", LIMIT);
        assertThat(read).isNotDone();
        assertThat(faults).containsExactly(fault);
    }

    @Test
    void aFaultInTheRegistersAfterAMessageOnLeasesIsTheNodes() {
        NodeRegisters member = member();
        List<Throwable> ofTheNode = new ArrayList<>();
        RegisterReceiver receiver = new RegisterReceiver(
                new DeafReceiver() {
                    @Override
                    public void failed(Throwable fault) {
                        ofTheNode.add(fault);
                    }
                },
                member,
                new Observers());
        fault = new InternalError("planted");
        receiver.received(B, List.of(new PaxosMessage.Released("r", 1)));
        assertThat(ofTheNode).containsExactly(fault);
    }

    /** Of a node that has more to say, the lease algorithm hears what is not on registers, in order. */
    @Test
    void theLeaseAlgorithmHearsNothingOfRegisters() {
        NodeRegisters member = member();
        List<Message> heard = new ArrayList<>();
        RegisterReceiver receiver = new RegisterReceiver(
                new Transport.Receiver() {
                    @Override
                    public void received(NodeId from, List<Message> messages) {
                        assertThat(messages).isNotEmpty();
                        heard.addAll(messages);
                    }

                    @Override
                    public void reachable(NodeId peer) {
                        heard.add(new PaxosMessage.AskStanding(1));
                    }

                    @Override
                    public void unreachable(NodeId peer) {
                        heard.add(new PaxosMessage.AskStanding(2));
                    }
                },
                member,
                new Observers());
        MaxRegisterMessage ask = new ReadRegister(1, "r");
        Message one = new PaxosMessage.Released("r", 1);
        Message two = new PaxosMessage.Released("r", 2);
        receiver.received(B, List.of(one, ask, two));
        receiver.received(B, List.of(ask));
        receiver.received(B, List.of(two));
        receiver.reachable(B);
        receiver.unreachable(B);
        assertThat(heard)
                .containsExactly(one, two, two, new PaxosMessage.AskStanding(1), new PaxosMessage.AskStanding(2));
        assertThat(sent)
                .containsOnly(new Sent(B, new RegisterValue(1, OptionalLong.empty())))
                .hasSize(2);
    }
}
