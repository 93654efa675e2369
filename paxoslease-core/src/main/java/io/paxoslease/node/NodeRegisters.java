package io.paxoslease.node;

import io.paxoslease.PaxosLeaseException;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Printable;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.registers.MaxRegisterMessage;
import io.paxoslease.protocol.registers.MaxRegisterMessage.KnownRegisters;
import io.paxoslease.protocol.registers.MaxRegisterMessage.RaiseRegister;
import io.paxoslease.protocol.registers.MaxRegisterMessage.ReadRegister;
import io.paxoslease.protocol.registers.MaxRegisterMessage.RegisterValue;
import io.paxoslease.protocol.registers.MaxRegisterMessage.Request;
import io.paxoslease.protocol.registers.MaxRegisters;
import io.paxoslease.protocol.registers.RegisterCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The max registers of one running node: those that it remembers, as a member for every node, as a client those that it has raised itself; and
 * the requests of its users that wait for a majority of the members. Beside the lease algorithm, which knows nothing of them. On the
 * node's thread, save where it says otherwise.
 */
final class NodeRegisters {

    private static final Logger log = LoggerFactory.getLogger(NodeRegisters.class);
    /** A request is sent so often to members that do not answer. */
    private static final int ROUNDS = 8;
    /** So many requests may wait, all of which fit into what a member takes from one client, with their repetitions. */
    static final int MOST_CALLS = 1_024;
    /** Between two messages to a node that is told all registers, so that leases do not wait behind them. */
    private static final long PAUSE_NANOS = 10_000_000;

    private final NodeId self;
    private final boolean isMember;
    private final NodeEnvironment environment;
    private final NodeCounts counts;
    private final LeaseAlgorithm machine;
    /** Of an algorithm whose members do not change. */
    private final Generation configured;

    private final MaxRegisters known = new MaxRegisters();
    /** Of members that can be reached and have been told the registers, or are being told: what is left. */
    private final Map<NodeId, List<KnownRegisters>> told = new HashMap<>();
    /** Nodes that said in their handshake that they are members: of this node's generation, or of the one that follows it. */
    private final Set<NodeId> met = new HashSet<>();

    private final Map<Long, Call> calls = new ConcurrentHashMap<>();
    /** Not from zero, so that no answer to an earlier life of this node is taken for one to this life. */
    private final AtomicLong numbers =
            new AtomicLong(ThreadLocalRandom.current().nextLong());

    private volatile @Nullable PaxosLeaseException over;
    private @Nullable Generation generation;
    private boolean isSealed;
    private Quorum members;

    private record Call(RegisterCall asked, Duration limit, CompletableFuture<OptionalLong> answer) {}

    /** @param machine tells who the members are */
    NodeRegisters(PaxosLeaseOptions options, NodeEnvironment environment, NodeCounts counts, LeaseAlgorithm machine) {
        this.self = new NodeId(options.nodeId());
        this.isMember = !options.isClient();
        this.environment = environment;
        this.counts = counts;
        this.machine = machine;
        this.configured = CellGeneration.of(options);
        this.members = configured.quorum(false);
    }

    /** The answer completes on the node's thread, with what it is then. Any thread. */
    CompletableFuture<OptionalLong> raise(String register, long value, Duration limit) {
        return call(new RaiseRegister(numbers.incrementAndGet(), register, value), limit);
    }

    /** The answer completes on the node's thread. Any thread. */
    CompletableFuture<OptionalLong> read(String register, Duration limit) {
        return call(new ReadRegister(numbers.incrementAndGet(), register), limit);
    }

    private CompletableFuture<OptionalLong> call(Request request, Duration limit) {
        Call call = new Call(new RegisterCall(request), limit, new CompletableFuture<>());
        if (calls.size() >= MOST_CALLS) {
            fail(call, tooMany(request));
            return call.answer();
        }
        calls.put(request.number(), call);
        try {
            environment.loop().execute(() -> begin(call));
        } catch (RejectedExecutionException stopped) {
            fail(call, RefusedRequest.stopped());
        }
        PaxosLeaseException reason = over; // set before the calls are ended
        if (reason != null) {
            fail(call, reason);
        }
        return call.answer();
    }

    /** No call is answered any more. Any thread. */
    void end(PaxosLeaseException reason) {
        over = reason;
        List.copyOf(calls.values()).forEach(call -> fail(call, reason));
    }

    private void fail(Call call, PaxosLeaseException reason) {
        calls.remove(call.asked().request().number());
        call.answer().completeExceptionally(reason);
    }

    private void begin(Call call) {
        if (call.asked().request() instanceof RaiseRegister raise) {
            known.raise(raise.register(), raise.value());
        }
        ask(call, ROUNDS);
    }

    /** Sends the request to all members that have not answered, and looks again after a part of the time. */
    private void ask(Call call, int rounds) {
        Request request = call.asked().request();
        if (!calls.containsKey(request.number())) {
            return;
        }
        if (rounds == 0) {
            fail(call, unanswered(request, call.limit()));
            return;
        }
        Threads.later(
                environment.loop(), () -> ask(call, rounds - 1), call.limit().toNanos() / ROUNDS);
        if (isMember) { // whether it counts is for the list of members to say
            call.asked().answered(self, known.value(request.register()));
        }
        call.asked().missing(members()).forEach(member -> send(member, List.of(request)));
        finish(call);
    }

    private void finish(Call call) {
        if (call.asked().isDecided(members())) {
            calls.remove(call.asked().request().number());
            call.answer().complete(call.asked().highest());
        }
    }

    private static PaxosLeaseException tooMany(Request request) {
        return new PaxosLeaseException(
                "Register '%s' was not asked for: %d requests on registers wait already, so await some of them first"
                        .formatted(Printable.name(request.register()), MOST_CALLS));
    }

    static PaxosLeaseException unanswered(Request request, Duration limit) {
        String kept = request instanceof RaiseRegister ? ", but some of them may have the value" : "";
        return new PaxosLeaseException("Register '%s' was not %s: no majority of the members answered within %d ms%s"
                .formatted(
                        Printable.name(request.register()),
                        request instanceof RaiseRegister ? "raised" : "read",
                        limit.toMillis(),
                        kept));
    }

    void received(NodeId from, List<MaxRegisterMessage> messages) {
        List<Message> answers = new ArrayList<>();
        for (MaxRegisterMessage message : messages) {
            counts.received(message);
            if (message instanceof RegisterValue value) {
                Call call = calls.get(value.number());
                if (call != null) {
                    call.asked().answered(from, value.value());
                    finish(call);
                }
            } else if (isMember && over == null) {
                serve(message, answers);
            }
        }
        send(from, answers);
    }

    private void serve(MaxRegisterMessage message, List<Message> answers) {
        if (message instanceof RaiseRegister raise) {
            long value = known.raise(raise.register(), raise.value());
            answers.add(new RegisterValue(raise.number(), OptionalLong.of(value)));
        } else if (message instanceof ReadRegister read) {
            answers.add(new RegisterValue(read.number(), known.value(read.register())));
        } else if (message instanceof KnownRegisters news) {
            news.registers().forEach(known::learn);
        }
    }

    /** That node says that it runs that generation. */
    void met(NodeId node, Generation itsGeneration) {
        if (itsGeneration.everyone().contains(node)) {
            met.add(node);
        }
    }

    /** A member may have started again: it is told what is known here, and what waits for it is not sent in the next round only. */
    void reachable(NodeId node) {
        boolean answers = members().contains(node);
        if ((answers || met.contains(node)) && !told.containsKey(node)) {
            if (answers) {
                send(node, openRequests(node));
            }
            tell(node, known.known());
        }
    }

    private List<Message> openRequests(NodeId member) {
        return calls.values().stream()
                .filter(call -> !call.asked().hasAnswered(member))
                .<Message>map(call -> call.asked().request())
                .toList();
    }

    private void tell(NodeId node, List<KnownRegisters> messages) {
        List<KnownRegisters> left = messages.isEmpty() ? messages : messages.subList(1, messages.size());
        told.put(node, left);
        if (!messages.isEmpty()) {
            send(node, List.of(messages.get(0)));
        }
        if (!left.isEmpty()) {
            Threads.later(
                    environment.loop(),
                    () -> {
                        if (told.get(node) == left) { // else it was lost meanwhile
                            tell(node, left);
                        }
                    },
                    PAUSE_NANOS);
        }
    }

    void unreachable(NodeId node) {
        told.remove(node);
        met.remove(node);
    }

    /** Before the seal of a generation the majorities of both lists, as of requests for leases. */
    private Quorum members() {
        Generation running = machine.generation();
        Generation now = running == null ? configured : running;
        boolean sealed = machine.sealedGeneration() >= now.number();
        if (sealed != isSealed || !now.equals(generation)) {
            generation = now;
            isSealed = sealed;
            members = now.quorum(sealed);
        }
        return members;
    }

    private void send(NodeId to, List<Message> messages) {
        if (to.equals(self) || messages.isEmpty() || over != null) {
            return;
        }
        try {
            environment.transport().send(to, messages);
            messages.forEach(counts::sent);
        } catch (RuntimeException | Error failure) { // lost, as any message may be
            log.debug("Messages on registers to '{}' were not sent", to, failure);
        }
    }
}
