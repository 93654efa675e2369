package io.paxoslease.protocol.storage;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.AcquireRequest.WaitMode;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.storage.RegisterMessage.CompareAndSet;
import io.paxoslease.protocol.storage.RegisterMessage.Request;
import io.paxoslease.protocol.storage.RegisterMessage.Write;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A production client of a {@link PaperStore}, its clock, and what its user believes. */
final class PaperClient {

    /** Clocks start far apart. */
    private static final long ORIGIN = 1_000_000_007L;

    /** What the client asked of the store, and when. */
    record Asked(long at, Request request) {

        /** Into the register of the lease. */
        boolean writes() {
            return changes() && !request.ofRelease();
        }

        /** Into its release record. */
        boolean releases() {
            return changes() && request.ofRelease();
        }

        private boolean changes() {
            return request instanceof Write || request instanceof CompareAndSet;
        }

        Stamp stamp() {
            return StampCodec.decode(
                    request instanceof Write write ? write.content() : ((CompareAndSet) request).content());
        }
    }

    private final PaperStore store;
    private final NodeId id;
    private final int number;
    private final double rate;
    private final List<Asked> asked = new ArrayList<>();
    private final List<Effect> effects = new ArrayList<>();
    private StorageClient client;
    private int life;
    private long leapNanos;
    private long ids;
    private long token;
    private @Nullable Moment until;
    private @Nullable Moment next;
    private boolean suspect;
    private boolean waits;

    PaperClient(PaperStore store, String name, int number, double rate) {
        this.store = store;
        this.id = new NodeId(name);
        this.number = number;
        this.rate = rate;
        this.client = start();
    }

    private StorageClient start() {
        Incarnation incarnation = new Incarnation(life, number + 1);
        return new StorageClient(id, store.rules, "the store", () -> incarnation, store.random, now());
    }

    Reading now() {
        long passed = (long) (PaperStore.nanos(store.millis()) * rate) + leapNanos;
        return new Reading(new Moment(number * ORIGIN * ORIGIN + passed), passed / 1_000);
    }

    int life() {
        return life;
    }

    /** Waits for the lease, and renews it as long as it holds it. */
    void contend() {
        ask(PaperStore.LEASE, true, WaitMode.WAIT, false);
    }

    /** The same, without renewing it. */
    void contendOnceOnly() {
        ask(PaperStore.LEASE, false, WaitMode.WAIT, false);
    }

    /** For a lease that readers share. */
    void contendAsReader() {
        ask(PaperStore.LEASE, true, WaitMode.WAIT, true);
    }

    private void ask(long leaseMillis, boolean renewed, WaitMode mode, boolean shared) {
        waits = true;
        step(new Event.Acquire(
                new AcquireRequest(++ids, "r", PaperStore.nanos(leaseMillis), renewed, mode, null, shared)));
    }

    /** Answered by {@link Effect.Renewed}. */
    void renew() {
        step(new Event.Renew("r", token, PaperStore.nanos(PaperStore.LEASE), ++ids));
    }

    void release() {
        release(token);
    }

    void release(long tenure) {
        until = null;
        step(new Event.GiveUp("r", tenure));
    }

    /** What is under way at the store takes its course. */
    void crash() {
        life++;
        until = null;
        waits = false;
        client = start();
        next = client.nextDeadline();
    }

    /** The clock jumps, which it must not. */
    void leap(long millis) {
        leapNanos += PaperStore.nanos(millis);
    }

    /** Whether its user may rely on the lease now. */
    boolean holds() {
        return until != null && !suspect && now().moment().isBefore(until);
    }

    /** How long it may, in milliseconds of its clock. */
    long remaining() {
        return until == null ? 0 : now().moment().nanosUntil(until) / PaperStore.nanos(1);
    }

    /** As a user does whose request was denied, or whose lease has ended. */
    void contendIfIdle() {
        if (!waits && until == null) {
            contend();
        }
    }

    int grants() {
        return all(Effect.Granted.class).size();
    }

    long token() {
        return token;
    }

    List<Asked> asked() {
        return List.copyOf(asked);
    }

    List<Asked> writes() {
        return asked.stream().filter(Asked::writes).toList();
    }

    List<Asked> releases() {
        return asked.stream().filter(Asked::releases).toList();
    }

    Asked lastWrite() {
        List<Asked> writes = writes();
        return writes.get(writes.size() - 1);
    }

    <T extends Effect> List<T> all(Class<T> type) {
        return effects.stream().filter(type::isInstance).map(type::cast).toList();
    }

    void hear(int toLife, RegisterMessage.Answer answer) {
        if (toLife == life) {
            step(new Event.Received(RegisterMessage.STORE, answer));
        }
    }

    /** Answers whether it was due. */
    boolean wakeIfDue() {
        boolean due = next != null && !now().moment().isBefore(next);
        if (due) {
            step(new Event.Woken());
        }
        return due;
    }

    private void step(Event event) {
        for (Effect effect : client.step(event, now())) {
            effects.add(effect);
            learn(effect);
        }
        next = client.nextDeadline();
        store.believed();
    }

    private void learn(Effect effect) {
        if (effect instanceof Effect.Send send) {
            Request request = (Request) send.message();
            asked.add(new Asked(store.millis(), request));
            store.serve(this, request);
        } else if (effect instanceof Effect.Granted granted) {
            token = granted.token();
            until = granted.until().moment();
            suspect = false;
            waits = false;
        } else if (effect instanceof Effect.Denied) {
            waits = false;
        } else if (effect instanceof Effect.Extended extended && extended.token() == token) {
            until = until == null ? null : extended.until().moment();
            suspect = false;
        } else if (effect instanceof Effect.Suspected) {
            suspect = true;
        } else if (effect instanceof Effect.Lost) {
            until = null;
        }
    }
}
