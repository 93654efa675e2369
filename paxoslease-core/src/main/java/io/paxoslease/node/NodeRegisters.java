package io.paxoslease.node;

import io.paxoslease.PaxosLeaseException;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.registers.MaxRegisterMessage;
import io.paxoslease.protocol.registers.MaxRegisterMessage.KnownRegisters;
import io.paxoslease.protocol.registers.MaxRegisterMessage.RaiseRegister;
import io.paxoslease.protocol.registers.MaxRegisterMessage.ReadRegister;
import io.paxoslease.protocol.registers.MaxRegisterMessage.RegisterValue;
import io.paxoslease.protocol.registers.MaxRegisterMessage.Request;
import io.paxoslease.protocol.registers.RegisterCall;
import io.paxoslease.protocol.registers.RegisterMode;
import io.paxoslease.protocol.registers.RegisterValues;
import io.paxoslease.protocol.registers.TakenModes;
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
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The max registers of one running node: those that it remembers, as a member for every node, as a client those that it has raised itself; and the requests of its users that wait for a majority
 * of the members, or of those before and after a change of the members. Beside the lease algorithm, which knows nothing of them and tells who the
 * members are. On the node's thread, save where it says otherwise.
 */
final class NodeRegisters {

    private static final Logger log = LoggerFactory.getLogger(NodeRegisters.class);
    /** A request is sent so often to members that do not answer. */
    private static final int ROUNDS = 8;
    /** So many requests may wait, all of which fit into what a member takes from one client, with their repetitions. */
    static final int MOST_CALLS = 1_024;

    private final NodeId self;
    private final boolean isMember;
    private final NodeEnvironment environment;
    private final NodeCounts counts;
    private final LeaseAlgorithm machine;
    private final Consumer<Runnable> guard;
    /** Of an algorithm whose members do not change. */
    private final Generation configured;

    private final RegisterValues known = new RegisterValues();
    private final RegisterNews news;
    private final Set<NodeId> reached = new HashSet<>();
    /** The generation that a node said it is a member of: this node's, or the one that follows it. */
    private final Map<NodeId, Generation> met = new HashMap<>();

    /** By the number of the present attempt. */
    private final Map<Long, RegisterQuestion> calls = new ConcurrentHashMap<>();
    /** Not from zero, so that no answer to an earlier life of this node is taken for one to this life. */
    private final AtomicLong numbers =
            new AtomicLong(ThreadLocalRandom.current().nextLong());

    private volatile @Nullable PaxosLeaseException over;
    /** This node's own, which its acceptor is of. */
    private Generation generation;

    /** It has become another one since the start. */
    private boolean moved;

    private TakenModes taken;
    /** Those that this node asks, as of requests for leases: of one list or of two. */
    private Quorum members;

    /**
     * @param machine tells who the members are
     * @param guard runs what the node's thread is to do: what that throws ends the node
     */
    NodeRegisters(
            PaxosLeaseOptions options,
            NodeEnvironment environment,
            NodeCounts counts,
            LeaseAlgorithm machine,
            Consumer<Runnable> guard) {
        this.self = new NodeId(options.nodeId());
        this.isMember = !options.isClient();
        this.environment = environment;
        this.counts = counts;
        this.machine = machine;
        this.configured = ConfiguredGeneration.of(options);
        this.guard = guard;
        this.news = new RegisterNews(isMember, this::later, this::send);
        Generation running = machine.generation();
        this.generation = running == null ? configured : running;
        this.taken = new TakenModes(generation);
        Quorum asked = machine.quorum();
        this.members = asked == null ? configured.quorum(false) : asked;
    }

    /** The answer completes on the node's thread, with what it is then. Any thread. */
    CompletableFuture<OptionalLong> raise(String register, long value, Duration limit) {
        return call(new RegisterQuestion(register, OptionalLong.of(value), limit, numbers.incrementAndGet()));
    }

    /** The answer completes on the node's thread. Any thread. */
    CompletableFuture<OptionalLong> read(String register, Duration limit) {
        return call(new RegisterQuestion(register, OptionalLong.empty(), limit, numbers.incrementAndGet()));
    }

    private CompletableFuture<OptionalLong> call(RegisterQuestion call) {
        if (calls.size() >= MOST_CALLS) {
            fail(call, call.refused(MOST_CALLS));
            return call.answer;
        }
        calls.put(call.number, call);
        try {
            environment.loop().execute(() -> guard.accept(() -> ask(call, ROUNDS)));
        } catch (RejectedExecutionException stopped) {
            fail(call, RefusedRequest.stopped());
        } catch (Error withoutMemory) {
            calls.remove(call.number);
            throw withoutMemory;
        }
        failIfOver(call);
        return call.answer;
    }

    private void later(Runnable code, long nanos) {
        Threads.later(environment.loop(), () -> guard.accept(code), nanos);
    }

    private void failIfOver(RegisterQuestion call) {
        PaxosLeaseException reason = over; // set before the calls are ended
        if (reason != null) {
            fail(call, reason);
        }
    }

    /** No call is answered any more. Any thread. */
    void end(PaxosLeaseException reason) {
        over = reason;
        calls.values().forEach(call -> fail(call, reason));
    }

    private void fail(RegisterQuestion call, PaxosLeaseException reason) {
        call.answer.completeExceptionally(
                reason); // first: what has not been answered stays, and is answered when the node ends
        calls.remove(call.number);
    }

    /** Sends the request to all members that have not answered, and looks again after a part of the time. */
    private void ask(RegisterQuestion call, int rounds) {
        if (call.answer.isDone()) {
            return;
        }
        if (rounds == 0) {
            fail(call, call.unanswered());
            return;
        }
        later(() -> ask(call, rounds - 1), call.limit.toNanos() / ROUNDS);
        RegisterCall attempt = call.attempt;
        look();
        if (call.attempt == null) {
            begin(call);
        } else if (attempt != null && attempt == call.attempt) {
            attempt.missing().forEach(member -> send(member, List.of(attempt.request())));
        }
    }

    /** Asks the members of the present mode. */
    private void begin(RegisterQuestion call) {
        if (call.answer.isDone()) {
            return;
        }
        long before = call.number;
        if (call.attempt != null) {
            call.number = numbers.incrementAndGet();
        }
        RegisterCall attempt = new RegisterCall(call.request(RegisterMode.of(members)), members);
        call.attempt = attempt;
        calls.put(call.number, call);
        if (call.number != before) {
            calls.remove(before);
        }
        failIfOver(call);
        if (isMember) {
            call.value.ifPresent(value -> known.raise(call.register, value));
            if (taken.contain(attempt.request().mode())) {
                attempt.answered(self, known.value(call.register));
            }
        } else {
            call.value.ifPresent(value -> known.raise(self, "", call.register, value));
        }
        attempt.missing().forEach(member -> send(member, List.of(attempt.request())));
        finish(call, attempt);
    }

    private void finish(RegisterQuestion call, RegisterCall attempt) {
        if (attempt.isDecided()) {
            call.answer.complete(attempt.highest());
            calls.remove(call.number);
        }
    }

    void received(NodeId from, List<MaxRegisterMessage> messages) {
        look();
        List<Message> answers = new ArrayList<>();
        for (MaxRegisterMessage message : messages) {
            counts.received(message);
            if (message instanceof RegisterValue value) {
                answered(from, value);
            } else if (isMember && over == null) {
                serve(from, message, answers);
            }
        }
        send(from, answers);
    }

    private void answered(NodeId from, RegisterValue value) {
        news.answered(from, value);
        RegisterQuestion call = calls.get(value.number());
        RegisterCall attempt = call == null ? null : call.attempt;
        if (call != null && attempt != null) {
            attempt.answered(from, value.value());
            finish(call, attempt);
        }
    }

    private void serve(NodeId from, MaxRegisterMessage message, List<Message> answers) {
        if (message instanceof Request request && !taken.contain(request.mode())) {
            return; // who asks hears of the change as of every other, and asks again
        }
        if (message instanceof RaiseRegister raise) {
            long value = isOfMembers(from)
                    ? known.raise(raise.register(), raise.value())
                    : known.raise(from, environment.transport().sourceOf(from), raise.register(), raise.value());
            answers.add(new RegisterValue(raise.number(), OptionalLong.of(value)));
        } else if (message instanceof ReadRegister read) {
            answers.add(new RegisterValue(read.number(), known.value(read.register())));
        } else if (message instanceof KnownRegisters its && isOfMembers(from)) {
            its.registers().forEach(known::learn);
        }
    }

    private boolean isOfMembers(NodeId node) {
        return generation.everyone().contains(node) || members.contains(node);
    }

    /** That node says that it runs that generation. */
    void met(NodeId node, Generation itsGeneration) {
        look();
        if (itsGeneration.everyone().contains(node)) {
            met.put(node, itsGeneration);
            tellOnce(node);
        }
    }

    /** A member may have started again: it is told what is known here, and what waits for it is not sent in the next round only. */
    void reachable(NodeId node) {
        look();
        if (!reached.add(node)) {
            return;
        }
        for (RegisterQuestion call : calls.values()) {
            RegisterCall attempt = call.attempt;
            if (attempt != null && attempt.waitsFor(node)) {
                send(node, List.of(attempt.request()));
            }
        }
        tellOnce(node);
    }

    private void tellOnce(NodeId node) {
        if (!news.hasTold(node)) {
            tell(node, known.known());
        }
    }

    private void tell(NodeId node, List<KnownRegisters> all) {
        boolean takesIt = isMember ? met.containsKey(node) || isOfMembers(node) : members.contains(node);
        if (takesIt && reached.contains(node)) {
            news.tell(node, all, RegisterMode.of(isMember ? takenBy(node) : members));
        }
    }

    /** Those of the later generation, as the node of the one before takes its requests, too. */
    private Quorum takenBy(NodeId node) {
        Generation its = met.getOrDefault(node, generation);
        return (its.number() > generation.number() ? its : generation).quorum(false);
    }

    void unreachable(NodeId node) {
        reached.remove(node);
        news.unreachable(node);
        met.remove(node);
    }

    /**
     * The algorithm has done something. Once this member has moved to the next generation it decides nothing any more for the list before
     * alone: so what it has decided is known now, and is told to all others before the new list decides alone, which is after the seal: raised
     * last first, as the others were told of the rest when they were reached. It is told again in each mode, for members that have been restarted
     * into the change.
     */
    void look() {
        Generation own = machine.generation();
        boolean hasMoved = own != null && !own.equals(generation);
        if (own != null && hasMoved) {
            moved = true;
            generation = own;
            taken = new TakenModes(own);
        }
        Quorum asked = machine.quorum();
        boolean isOtherMode = asked != null && asked != members;
        if (asked != null) {
            members = asked;
        }
        if (hasMoved || isOtherMode) {
            List<KnownRegisters> all = moved ? known.knownLastFirst() : known.known();
            List.copyOf(reached).forEach(node -> tell(node, all));
        }
        if (isOtherMode) {
            List.copyOf(calls.values()).forEach(this::begin);
        }
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
