package io.paxoslease.node.storage;

import io.paxoslease.node.ClockGuard;
import io.paxoslease.node.NodeClock;
import io.paxoslease.node.Threads;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.storage.Content;
import io.paxoslease.protocol.storage.RegisterMessage;
import io.paxoslease.protocol.storage.RegisterMessage.CompareAndSet;
import io.paxoslease.protocol.storage.RegisterMessage.Read;
import io.paxoslease.protocol.storage.RegisterMessage.Request;
import io.paxoslease.protocol.storage.RegisterMessage.Write;
import io.paxoslease.store.Register;
import io.paxoslease.transport.Transport;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Carries a client's accesses out on a {@link Register}, which blocks, on a few threads of its own. */
public final class RegisterTransport implements Transport {

    private static final int THREADS = 8;
    /** Those that wait longer than the access bound are not begun any more; so many do only when the store hangs. */
    private static final int MAX_WAITING = 10_000;

    private final Register register;
    private final Register releases;
    private final NodeClock clock;
    private final Executor loop;
    private final ThreadPoolExecutor threads;
    private final StoreTroubles troubles = new StoreTroubles();
    private volatile @Nullable ClockGuard guard;
    private volatile @Nullable Receiver receiver;

    /**
     * @param register has the stamps of leases
     * @param releases has their release records
     * @param loop runs tasks one at a time, in order: answers are handed over there
     * @param factory makes the threads that wait for the store
     */
    public RegisterTransport(
            Register register, Register releases, NodeClock clock, Executor loop, ThreadFactory factory) {
        this.register = register;
        this.releases = releases;
        this.clock = clock;
        this.loop = loop;
        this.threads = Threads.pool(THREADS, MAX_WAITING, factory);
    }

    /** From now on answers go there. */
    public void open(Receiver node) {
        receiver = node;
    }

    /** From now on no access is begun while the clocks disagree. */
    public void guardBy(ClockGuard clocks) {
        guard = clocks;
    }

    /** What was wrong with the latest accesses. */
    StoreTroubles troubles() {
        return troubles;
    }

    @Override
    public void send(NodeId to, List<Message> messages) {
        for (Message message : messages) {
            if (message instanceof Request request) {
                try {
                    troubles.begun(request.name(), clock.read().moment());
                    threads.execute(() -> answer(request, begin(request)));
                } catch (RejectedExecutionException full) {
                    answer(
                            request,
                            new RegisterMessage.Failed(request.access(), "too many accesses wait for the store"));
                } catch (Error noThread) {
                    answer(request, new RegisterMessage.Failed(request.access(), String.valueOf(noThread)));
                }
            }
        }
    }

    /** The monotonic clock may have stood still while the process was suspended: then it does not show how late it is. */
    private RegisterMessage.Answer begin(Request request) {
        ClockGuard clocks = guard;
        if (clocks != null && !clocks.trusts(clock.readPair())) {
            return new RegisterMessage.Failed(
                    request.access(), "it was not begun: the process was suspended, or a clock was set");
        }
        return serve(request.ofRelease() ? releases : register, clock, request);
    }

    /** Carries one access out, and waits for the store. */
    public static RegisterMessage.Answer serve(Register register, NodeClock clock, Request request) {
        long access = request.access();
        // Right before it begins: who sent it may have been paused since, and nobody may write on what is over.
        if (!clock.read().moment().isBefore(request.latest())) {
            return new RegisterMessage.Failed(access, "it could not be begun in time");
        }
        try {
            if (request instanceof Read) {
                byte[] found = register.read(request.name());
                return new RegisterMessage.Value(access, found == null ? null : Content.of(found));
            } else if (request instanceof Write write) {
                register.write(write.name(), write.content().bytes());
                return new RegisterMessage.Done(access, true);
            } else if (request instanceof CompareAndSet put) {
                Content expected = put.expected();
                byte @Nullable [] known = expected == null ? null : expected.bytes();
                boolean replaced =
                        register.compareAndSet(put.name(), known, put.content().bytes());
                return new RegisterMessage.Done(access, replaced);
            }
            throw new IllegalStateException("Not a request: " + request);
        } catch (IOException | RuntimeException | Error e) { // the user's code, or a driver's
            return new RegisterMessage.Failed(access, String.valueOf(e));
        }
    }

    private void answer(Request request, RegisterMessage.Answer answer) {
        troubles.ended(request.name(), answer);
        Receiver node = receiver;
        if (node != null) {
            try {
                loop.execute(() -> node.received(RegisterMessage.STORE, List.of(answer)));
            } catch (RejectedExecutionException stopped) {
                threads.shutdown();
            }
        }
    }

    /** Begins nothing any more, and waits at most that long for what was sent: leases that were given up are released by it. Later answers are dropped. */
    public void close(long nanos) {
        threads.shutdown();
        Threads.awaitUninterruptibly(nanos, left -> threads.awaitTermination(left, TimeUnit.NANOSECONDS));
        receiver = null;
    }
}
