package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Invariants;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.TrackedResource;
import io.paxoslease.protocol.paxos.ClaimState.Asking;
import io.paxoslease.protocol.paxos.ClaimState.BackingOff;
import io.paxoslease.protocol.paxos.ClaimState.Batched;
import io.paxoslease.protocol.paxos.ClaimState.Confirming;
import io.paxoslease.protocol.paxos.ClaimState.Holding;
import io.paxoslease.protocol.paxos.ClaimState.Idle;
import io.paxoslease.protocol.paxos.ClaimState.LateAnswers;
import io.paxoslease.protocol.paxos.ClaimState.Released;
import io.paxoslease.protocol.paxos.ClaimState.Renewing;
import io.paxoslease.protocol.paxos.ClaimState.Sought;
import io.paxoslease.protocol.paxos.ClaimState.Suspect;
import io.paxoslease.protocol.paxos.ClaimState.Tenured;
import io.paxoslease.protocol.paxos.NoteAdvice.TenureNote;
import io.paxoslease.protocol.paxos.PaxosMessage.Held;
import io.paxoslease.protocol.paxos.PaxosMessage.Wanted;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A proposer's claim to one resource: its counters, what its attempts have taught, and its state. Each transition of the state is
 * a method here, named by its event; docs/protocol.md has them as a table. An event in a state that it cannot happen in stops
 * the node.
 */
final class Claim extends TrackedResource {

    /** Written by {@link Counters} only, as the next. */
    Incarnation incarnation;
    /** The counter that was drawn last under this incarnation. */
    long lastCounter;

    private ClaimState state = new Idle(null);

    /** What the next counter must be above, if the acceptors that were silent stay silent. */
    private long learnt;

    private int failures;
    /** How many attempts in a row, without a live lease in the way, some acceptor found too far ahead of its clock. */
    private int clockFailures;
    /** Ballots of others came between: the next attempt prepares first (P8). */
    private boolean contended;
    /** Null before the first attempt for the first request. */
    private @Nullable Turn turn;
    /** The last answer that named another holder, and when it came: a hint. */
    private @Nullable Held lastHeld;

    private @Nullable Moment lastHeldAt;
    /** Null: the tenure has none, or there is no tenure. */
    private @Nullable TenureNote note;

    Claim(String resource, Incarnation incarnation) {
        super(resource);
        this.incarnation = incarnation;
    }

    // The transitions.

    /** P1, P2, P4, H2: an attempt begins. It takes the place of an attempt to acquire that is in flight. */
    void begun(Attempt attempt) {
        switch (attempt.kind) {
            case ACQUIRE -> become(new Asking(attempt, state instanceof Asking asking ? asking.waiters : null));
            case RENEW -> become(new Renewing(in(Holding.class), attempt));
            case CONFIRM -> become(new Confirming(in(Suspect.class), attempt));
        }
    }

    /** P3: a tenure begins. By the safety core only. */
    void granted(Tenure tenure) {
        state = new Holding(tenure, in(Asking.class).waiters);
        succeeded();
        contended = false;
        lastHeld = null;
        turn = null;
    }

    /** P4: a majority has renewed or confirmed the tenure with the attempt in flight. */
    void extended() {
        Invariants.check(attempt() != null, "an attempt extends a tenure", state);
        become(holding());
        succeeded();
    }

    /** H2: the clocks are in doubt. */
    void suspected() {
        Invariants.check(state.mayWait(), "what is under way for a tenure ends before it is in doubt", state);
        become(new Suspect(in(Tenured.class), null));
    }

    /** P6: the tenure has ended. By the safety core only. */
    void released(long predecessorCounter) {
        Invariants.check(isHeld() && batch() == null, "a tenure leaves its batch before it ends", state);
        state = new Released(predecessorCounter, null, null);
        failures = 0;
        note = null;
    }

    /** H4: nothing that rests on the incarnation goes on. By the safety core only. */
    void disowned() {
        Invariants.check(batch() == null, "a tenure leaves its batch before it ends", state);
        state = state instanceof Released ? state : new Idle(null);
        failures = 0;
        note = null;
    }

    /** P5: the attempt in flight, if any, is over. */
    void abandoned() {
        if (state instanceof Asking) {
            become(new Idle(null));
        } else if (state instanceof Renewing) {
            become(holding());
        } else if (state instanceof Confirming confirming) {
            become(new Suspect(confirming, null));
        }
    }

    /** P5: the same behind a holder: answers that are still to come say where a record was left. */
    void abandonedBehindHolder(Moment until) {
        become(new Idle(new LateAnswers(in(Asking.class).attempt(), until)));
    }

    /** P5: no more answers are awaited. */
    void lateAnswersOver() {
        if (state instanceof BackingOff backingOff) {
            become(new BackingOff(backingOff.retryAt, backingOff.isDeferred, null));
        } else {
            in(Idle.class);
            become(new Idle(null));
        }
    }

    /**
     * P8: the attempt has failed and is abandoned; the next one waits.
     *
     * @param isDeferred whether acceptors have said when to ask again (Q9)
     */
    void backedOff(Moment retryAt, boolean isDeferred) {
        if (state instanceof Idle idle) {
            become(new BackingOff(retryAt, isDeferred, idle.lateAnswers()));
        } else {
            become(waiting(retryAt));
        }
    }

    /** P8, W4: another time to try again is better, by a hint. */
    void retriesAt(Moment at) {
        if (state instanceof BackingOff backingOff) {
            become(new BackingOff(at, backingOff.isDeferred, backingOff.lateAnswers()));
        } else {
            become(waiting(at));
        }
    }

    /** The time to try again has come, or nothing is wanted any more: the next attempt need not wait. */
    void waitOver() {
        if (state instanceof BackingOff) {
            become(new Idle(state.lateAnswers()));
        } else if (state.mayWait()) {
            become(waiting(null));
        }
    }

    /** W4, Q4: others come first: until {@code yieldUntil} those that are told by a hint; until {@code followUntil} the next request names the
     * queued ones as its predecessors. */
    void yielded(@Nullable Moment yieldUntil, @Nullable Moment followUntil) {
        become(new Released(in(Released.class).predecessorCounter, yieldUntil, followUntil));
    }

    /** Time passes: others come first no longer. */
    void yieldOver(Moment now) {
        if (state instanceof Released released) {
            become(released.isOver(now) ? new Idle(null) : released.at(now));
        }
    }

    /** P4a: the tenure is renewed with others from now on, or has another place among them. */
    void joined(RenewalBatch batch, int place) {
        Invariants.check(state instanceof Holding || batch() != null, "only what is held is batched", state);
        become(new Batched(in(Tenured.class), batch, place));
    }

    /** P4c: something happens to this tenure alone. */
    void leftBatch() {
        in(Batched.class);
        become(holding());
    }

    private Holding holding() {
        return new Holding(in(Tenured.class), null);
    }

    /** A tenure, for which the next attempt waits; null: it does not wait. */
    private Tenured waiting(@Nullable Moment retryAt) {
        return state instanceof Suspect suspect
                ? new Suspect(suspect, retryAt)
                : new Holding(in(Holding.class), retryAt);
    }

    /** Advice goes on from one state to another one, and leaves the tenure as it is. */
    private void become(ClaimState next) {
        Invariants.check(next.tenure() == state.tenure(), "only the core begins and ends a tenure", state);
        state = next;
    }

    private <S extends ClaimState> S in(Class<S> type) {
        Invariants.check(type.isInstance(state), "the event is one of the state", state);
        return type.cast(state);
    }

    // What outlasts a state.

    private void succeeded() {
        failures = 0;
        clockFailures = 0;
    }

    /** Answers how many attempts in a row had failed before. */
    int failedAgain() {
        return failures++;
    }

    int failures() {
        return failures;
    }

    void clocksAgreed() {
        clockFailures = 0;
    }

    void clocksDiffered() {
        clockFailures++;
    }

    int clockFailures() {
        return clockFailures;
    }

    void contended(boolean byOthers) {
        contended = byOthers;
    }

    boolean isContended() {
        return contended;
    }

    void learnt(long counter) {
        learnt = Math.max(learnt, counter);
    }

    void unlearnt() {
        learnt = 0;
    }

    long learnt() {
        return learnt;
    }

    void named(Held held, Moment now) {
        lastHeld = held;
        lastHeldAt = now;
    }

    @Nullable
    Held lastHeld() {
        return lastHeld;
    }

    @Nullable
    Moment lastHeldAt() {
        return lastHeldAt;
    }

    void note(TenureNote ofTenure) {
        note = ofTenure;
    }

    @Nullable
    TenureNote note() {
        return note;
    }

    /** The first attempt for the first request has that counter, if there was none before. */
    void turnBegun(long counter) {
        turn = turn == null ? new Turn(counter) : turn;
    }

    /** The first request has gone. */
    void turnOver() {
        turn = null;
    }

    /** The turn of the first request, which has been asked for. */
    Turn turn() {
        return Objects.requireNonNull(turn);
    }

    /** Whether the first request waits for the holder's word on that attempt. */
    boolean awaitsHolder(long attempt) {
        return turn != null && turn.isAwaiting(attempt);
    }

    /** W1: acceptors have said that others want what is held or asked for. */
    void waitersReported(NodeId acceptor, Wanted wanted) {
        Sought sought = in(Sought.class);
        if (sought.waiters == null) {
            sought.waiters = new ReportedWaiters();
        }
        sought.waiters.add(acceptor, wanted);
    }

    @Nullable
    ReportedWaiters waiters() {
        return state instanceof Sought sought ? sought.waiters : null;
    }

    // What the state says.

    /** When there is something to do about it; null: nothing is waited for. */
    @Nullable
    Moment earliest() {
        return note == null ? state.earliest() : Moment.earliest(state.earliest(), NoteAdvice.dueAt(this));
    }

    ClaimState state() {
        return state;
    }

    @Nullable
    Tenure tenure() {
        return state.tenure();
    }

    /** What is held, in a state with a tenure. */
    Tenure held() {
        return in(Tenured.class).tenure;
    }

    @Nullable
    Attempt attempt() {
        return state.attempt();
    }

    @Nullable
    RenewalBatch batch() {
        return state instanceof Batched batched ? batched.batch : null;
    }

    /** Among the members of the batch. */
    int placeInBatch() {
        return in(Batched.class).place;
    }

    /** The lease was given up here while others waited for it, with counters up to this; zero: it was not. */
    long predecessorCounter() {
        return state instanceof Released released ? released.predecessorCounter : 0;
    }

    @Override
    protected boolean isHeld() {
        return tenure() != null;
    }

    @Override
    protected long token() {
        Tenure tenure = tenure();
        return tenure == null ? 0 : tenure.token;
    }

    @Override
    protected boolean isIdle() {
        return requests.isEmpty() && state.isIdle();
    }

    @Override
    @Nullable
    protected Moment giveUpFirstAt(Moment limit) {
        return state instanceof Asking asking
                ? leavingTimeToAsk(limit, asking.attempt().startedAt())
                : limit;
    }
}
