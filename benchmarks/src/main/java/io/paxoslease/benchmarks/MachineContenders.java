package io.paxoslease.benchmarks;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.storage.Content;
import io.paxoslease.protocol.storage.RegisterMessage;
import io.paxoslease.protocol.storage.StorageClient;
import io.paxoslease.protocol.storage.StorageRules;
import java.time.Duration;
import java.util.Objects;
import java.util.function.IntConsumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The same contenders with this library's machine. It takes an access that lasts delta or longer for failed, polls
 * for a release, and has leases that outlast its own waits: the hold is as long as the paper's, the lease 24 times as long.
 */
final class MachineContenders implements StorageStudy.Contenders {

    /** One unit of the study's time. */
    private static final long UNIT_NANOS = 1_000_000_000;

    private static final String RESOURCE = "x";
    private static final Duration LEASE = Duration.ofNanos((long) (12 * StorageStudy.ACCESS_BOUND * UNIT_NANOS));

    private final StudyTime time = new StudyTime();
    private final RandomGenerator random;
    private final boolean compares;
    private @Nullable Content register;

    MachineContenders(RandomGenerator random, boolean compares) {
        this.random = random;
        this.compares = compares;
    }

    @Override
    public void run(int contenders, IntConsumer held) {
        int[] left = {contenders};
        for (int i = 0; i < contenders; i++) {
            int index = i;
            new Client(i, () -> {
                        left[0]--;
                        held.accept(index);
                    })
                    .start();
        }
        while (left[0] > 0 && time.next()) {
            // Until all have held.
        }
    }

    @Override
    public double now() {
        return time.now();
    }

    private final class Client {

        private final NodeId id;
        private final Runnable held;
        private final StorageClient machine;
        private double wakesAt = Double.POSITIVE_INFINITY;

        private Client(int index, Runnable held) {
            this.id = new NodeId("client-" + index);
            this.held = held;
            Timing timing = new Timing(LEASE, 0);
            machine = new StorageClient(
                    id,
                    new StorageRules(timing, (long) (StorageStudy.ACCESS_BOUND * UNIT_NANOS), compares, true),
                    "simulated",
                    () -> new Incarnation(random.nextLong(), random.nextLong()),
                    random,
                    reading());
        }

        private void start() {
            step(new Event.Acquire(
                    new AcquireRequest(1, RESOURCE, LEASE.toNanos(), false, AcquireRequest.WaitMode.WAIT, null)));
        }

        private void step(Event event) {
            for (Effect effect : machine.step(event, reading())) {
                if (effect instanceof Effect.Send send && send.message() instanceof RegisterMessage.Request request) {
                    access(request);
                } else if (effect instanceof Effect.Granted granted) {
                    held.run();
                    time.after(StorageStudy.HOLD, () -> step(new Event.GiveUp(RESOURCE, granted.token())));
                }
            }
            Moment next = machine.nextDeadline();
            if (next != null) {
                double at = Math.max(time.now(), (double) next.nanos() / UNIT_NANOS + 1e-9);
                if (at < wakesAt || wakesAt < time.now()) {
                    wakesAt = at;
                    time.after(at - time.now(), () -> {
                        wakesAt = Double.POSITIVE_INFINITY;
                        step(new Event.Woken());
                    });
                }
            }
        }

        private void access(RegisterMessage.Request request) {
            double whole = random.nextExponential();
            double taken = whole * random.nextDouble();
            time.after(taken, () -> {
                RegisterMessage.Answer answer = answer(request);
                time.after(whole - taken, () -> step(new Event.Received(RegisterMessage.STORE, answer)));
            });
        }
    }

    private RegisterMessage.Answer answer(RegisterMessage.Request request) {
        if (request instanceof RegisterMessage.Read) {
            return new RegisterMessage.Value(request.access(), register);
        } else if (request instanceof RegisterMessage.Write write) {
            register = write.content();
            return new RegisterMessage.Done(request.access(), true);
        }
        RegisterMessage.CompareAndSet put = (RegisterMessage.CompareAndSet) request;
        boolean replaced = Objects.equals(register, put.expected());
        if (replaced) {
            register = put.content();
        }
        return new RegisterMessage.Done(request.access(), replaced);
    }

    private Reading reading() {
        long nanos = (long) (time.now() * UNIT_NANOS);
        return new Reading(new Moment(nanos), nanos / 1_000);
    }
}
