package io.paxoslease.exploration;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.AcquireRequest.WaitMode;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.storage.RegisterMessage;
import io.paxoslease.protocol.storage.StorageClient;
import io.paxoslease.protocol.storage.StorageRules;
import io.paxoslease.protocol.storage.StoredRounds;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** A production client, its clocks, and what its user believes. */
final class StorageUser {

    private static final RandomGenerator NO_CHANCE = () -> 0;
    private static final long MICROS = 1_000;
    private static final int NANOS_OF_A_MICRO = 1_000;

    final int number;
    int life;
    private final StorageWorld world;
    private final double rate;
    private StorageClient client;
    private int requests;
    private int asked;
    private boolean asksShared;
    private long token;
    private boolean shares;
    private @Nullable Reading heldUntil;
    private boolean suspect;
    private int pausedUntil;
    private boolean suspended;
    private long lostNanos;

    StorageUser(StorageWorld world, int number) {
        this.world = world;
        this.number = number;
        this.rate = 1 + world.setup.drift * (number % 2 == 0 ? -1 : 1);
        this.client = start();
    }

    private StorageClient start() {
        StorageSetup setup = world.setup;
        Incarnation incarnation = new Incarnation(number, life);
        return new StorageClient(
                new NodeId("n" + number),
                new StorageRules(world.timing, setup.access * StorageWorld.UNIT, setup.compares, setup.confirms),
                "a store",
                () -> incarnation,
                NO_CHANCE,
                now());
    }

    Reading now() {
        long nanos = (long) (world.time * StorageWorld.UNIT * rate);
        return new Reading(new Moment(nanos - lostNanos), nanos / NANOS_OF_A_MICRO);
    }

    boolean isPaused() {
        return world.time < pausedUntil;
    }

    void unpause() {
        pausedUntil = 0;
    }

    boolean isDue() {
        Moment next = client.nextDeadline();
        return suspended || (next != null && !now().moment().isBefore(next));
    }

    /** By both clocks, as a lease does. */
    boolean believes() {
        Reading until = heldUntil;
        return until != null
                && !suspect
                && !(suspended || isPaused())
                && now().moment().isBefore(until.moment())
                && now().wallMicros() + MICROS < until.wallMicros();
    }

    boolean shares() {
        return shares;
    }

    boolean isBusy() {
        return asked != 0 || heldUntil != null;
    }

    boolean canAcquire() {
        return !isBusy();
    }

    boolean canWithdraw() {
        return asked != 0;
    }

    void acquire() {
        StorageSetup setup = world.setup;
        asked = ++requests;
        asksShared = setup.isSharing(number);
        long lease = setup.lease * StorageWorld.UNIT;
        step(new Event.Acquire(new AcquireRequest(
                asked, StorageWorld.RESOURCE, lease, setup.renewed, WaitMode.WAIT, null, asksShared)));
    }

    void withdraw() {
        int withdrawn = asked;
        asked = 0;
        step(new Event.Withdraw(StorageWorld.RESOURCE, withdrawn));
    }

    void release() {
        heldUntil = null;
        step(new Event.GiveUp(StorageWorld.RESOURCE, token));
    }

    void renew() {
        long whole = world.setup.lease * StorageWorld.UNIT;
        long wish = world.setup.wishesWhole ? whole : whole / 2;
        step(new Event.Renew(StorageWorld.RESOURCE, token, wish, ++requests));
    }

    void wake() {
        if (suspended) {
            suspended = false;
            step(new Event.ClocksDisagree(false));
        }
        step(new Event.Woken());
    }

    /** Up to which round this life knows what the register has had; negative: not at all. */
    long knows() {
        return StoredRounds.of(client, StorageWorld.RESOURCE);
    }

    void receive(int toLife, RegisterMessage.Answer answer) {
        if (toLife == life) {
            if (suspended) {
                wake();
            }
            step(new Event.Received(RegisterMessage.STORE, answer));
        }
    }

    void restart() {
        life++;
        asked = 0;
        heldUntil = null;
        suspect = false;
        suspended = false;
        client = start();
    }

    void pause() {
        pausedUntil = world.time + world.setup.pauseTime;
    }

    /** The monotonic clock stands still meanwhile. */
    void suspend() {
        pausedUntil = world.time + world.setup.pauseTime;
        lostNanos += (long) (world.setup.pauseTime * StorageWorld.UNIT * rate);
        suspended = true;
    }

    private void step(Event event) {
        List<Effect> effects = client.step(event, now());
        for (Effect effect : effects) {
            if (effect instanceof Effect.Send send) {
                world.send(this, (RegisterMessage.Request) send.message());
            } else {
                learn(effect);
            }
        }
    }

    private void learn(Effect effect) {
        if (world.tells) {
            world.story.add("    client " + number + ": " + effect);
        }
        if (effect instanceof Effect.Granted granted) {
            asked = 0;
            suspect = false;
            shares = asksShared;
            token = granted.token();
            heldUntil = granted.until();
            world.granted(this, token);
        } else if (effect instanceof Effect.Extended extended && extended.token() == token && heldUntil != null) {
            heldUntil = extended.until();
            suspect = false;
        } else if (effect instanceof Effect.Suspected) {
            suspect = true;
        } else if (effect instanceof Effect.Lost) {
            heldUntil = null;
        } else if (effect instanceof Effect.Denied denied && denied.requestId() == asked) {
            asked = 0;
        }
    }

    List<@Nullable Object> state() {
        List<@Nullable Object> state = new ArrayList<>();
        state.add(client);
        state.add(life);
        state.add(asked);
        state.add(token);
        state.add(shares);
        state.add(heldUntil);
        state.add(suspect);
        state.add(pausedUntil);
        state.add(suspended);
        state.add(lostNanos);
        return state;
    }
}
