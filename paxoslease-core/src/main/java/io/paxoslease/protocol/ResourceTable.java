package io.paxoslease.protocol;

import io.paxoslease.protocol.AcquireRequest.WaitMode;
import io.paxoslease.protocol.Effect.Denial;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The resources that an algorithm is busy with, their timers, and the events of this node's users, which every algorithm handles
 * in the same way. Every change of a resource ends in {@link #settle}. Not thread-safe.
 *
 * @param <S> the algorithm's state of a resource
 */
public final class ResourceTable<S extends TrackedResource> {

    /** What differs between algorithms. */
    public interface Rules<S extends TrackedResource> {

        /** Why the request is denied at once; null: it is not. */
        @Nullable
        Denial refusal(AcquireRequest request, Reading now);

        /** The state of a resource that was not tracked. */
        S track(String resource, Reading now);

        /** Ends the tenure if its deadline has come. */
        void expire(S state, Reading now);

        /** A request was added for what this node does not hold. */
        default void added(S state, AcquireRequest request, Reading now) {}

        /** Removes the request, and what is under way for it. */
        void remove(S state, AcquireRequest request);

        /** The same, with an answer. */
        void deny(S state, AcquireRequest request, Denial reason);

        /** The holder has stopped using it: the tenure ends. */
        void giveUp(S state, Reading now);

        /** The same, and that node comes first, if it is queued. */
        default void giveUpTo(S state, NodeId successor, Reading now) {
            giveUp(state, now);
        }

        /** The holder goes on using it though another node wants it. */
        default void inUse(S state, Reading now) {}

        /** The holder changes the note. */
        default void annotate(S state, String note, Reading now) {}

        /** Ends what is held without a release. */
        default void letExpire(S state, Reading now) {}

        /** Does what has become due. */
        void settle(S state, Reading now);

        /** When there is something to do, apart from requests that are given up; null: nothing is waited for. */
        @Nullable
        Moment earliest(S state);

        /** Nothing is to be done about the resource any more. */
        default void forget(S state) {}

        /** The time of something has come that is no resource. */
        default void wake(Timed timed, Reading now) {}
    }

    private final NodeId self;
    private final long maxLeaseNanos;
    private final long hearNanos;
    private final Rules<S> rules;
    private final EffectBuffer out;
    private final Map<String, S> states = new HashMap<>();
    private final Timers timers = new Timers();

    /** @param hearNanos how long a request that asks once waits for the answer of a holder on this node */
    public ResourceTable(NodeId self, long maxLeaseNanos, long hearNanos, Rules<S> rules, EffectBuffer out) {
        this.self = self;
        this.maxLeaseNanos = maxLeaseNanos;
        this.hearNanos = hearNanos;
        this.rules = rules;
        this.out = out;
    }

    /** Handles what users and timers bring about; other events are left to the algorithm. */
    public void handle(Event event, Reading now) {
        if (event instanceof Event.Woken) {
            wake(now);
        } else if (event instanceof Event.Acquire acquire) {
            acquire(acquire.request().at(now.moment()), now);
        } else if (event instanceof Event.Withdraw withdraw) {
            withdraw(withdraw, now);
        } else if (event instanceof Event.GiveUp giveUp) {
            S state = held(giveUp.resource(), giveUp.token());
            if (state != null) {
                rules.giveUp(state, now);
                settle(state, now);
            }
        } else if (event instanceof Event.GiveUpTo giveUp) {
            S state = held(giveUp.resource(), giveUp.token());
            if (state != null) {
                rules.giveUpTo(state, giveUp.successor(), now);
                settle(state, now);
            }
        } else if (event instanceof Event.InUse inUse) {
            S state = held(inUse.resource(), inUse.token());
            if (state != null) {
                denyAskingOnce(state, Denial.HELD);
                rules.inUse(state, now);
                settle(state, now);
            }
        } else if (event instanceof Event.LetExpire ended) {
            S state = held(ended.resource(), ended.token());
            if (state != null) {
                rules.letExpire(state, now);
            }
        } else if (event instanceof Event.Annotate annotate) {
            S state = held(annotate.resource(), annotate.token());
            if (state != null) {
                rules.annotate(state, annotate.note(), now);
                settle(state, now);
            }
        } else if (event instanceof Event.Renew renew) {
            renew(renew, now);
        }
    }

    private void wake(Reading now) {
        for (Timed due = timers.poll(now.moment()); due != null; due = timers.poll(now.moment())) {
            S state = due instanceof TrackedResource tracked ? states.get(tracked.resource) : null;
            if (state != null) {
                settle(state, now);
            } else {
                rules.wake(due, now);
            }
        }
    }

    private void acquire(AcquireRequest request, Reading now) {
        Denial refusal = rules.refusal(request, now);
        if (refusal != null) {
            out.emit(new Effect.Denied(request.id(), request.resource(), refusal, null));
            return;
        }
        S state = states.computeIfAbsent(request.resource(), resource -> rules.track(resource, now));
        rules.expire(state, now);
        boolean once = request.waitMode() == WaitMode.TRY_ONCE;
        if (state.isHeld()) {
            state.requests.add(once ? request.endingAt(now.moment().plusNanos(hearNanos)) : request);
            out.emit(new Effect.Wanted(state.resource, state.token()));
        } else if (once && !state.requests.isEmpty()) {
            out.emit(new Effect.Denied(request.id(), state.resource, Denial.HELD, self));
        } else {
            state.requests.add(request);
            rules.added(state, request, now);
        }
        settle(state, now);
    }

    private void withdraw(Event.Withdraw event, Reading now) {
        S state = states.get(event.resource());
        if (state != null) {
            AcquireRequest request = state.requests.find(event.requestId());
            if (request != null) {
                rules.remove(state, request);
            }
            settle(state, now);
        }
    }

    private void renew(Event.Renew event, Reading now) {
        S state = held(event.resource(), event.token());
        if (state == null || event.leaseNanos() > maxLeaseNanos || event.leaseNanos() <= 0) {
            out.emit(new Effect.Renewed(event.requestId(), false));
            return;
        }
        state.renewals.add(new TrackedResource.Renewal(event.requestId(), event.leaseNanos()));
        settle(state, now);
    }

    /** Does what has become due, then sets the timer, or forgets a resource that nothing is to be done about. */
    public void settle(S state, Reading now) {
        rules.settle(state, now);
        boolean idle = state.isIdle();
        if (idle) {
            states.remove(state.resource);
            rules.forget(state);
        }
        timers.set(state, idle ? null : Moment.earliest(rules.earliest(state), state.earliestLimit()));
    }

    /** Denies the requests whose limit has come. */
    public void denyLate(S state, Reading now) {
        for (AcquireRequest late = state.lateRequest(now.moment());
                late != null;
                late = state.lateRequest(now.moment())) {
            rules.deny(state, late, late.waitMode() == WaitMode.TRY_ONCE ? Denial.HELD : Denial.TIMED_OUT);
        }
    }

    /** Requests that ask once have their answer. */
    public void denyAskingOnce(S state, Denial reason) {
        state.requests.askingOnce().forEach(request -> rules.deny(state, request, reason));
    }

    /** Denies all requests, the last one first, so that nothing is begun for the next one. */
    public void denyAll(S state, Denial reason) {
        while (!state.requests.isEmpty()) {
            rules.deny(state, state.requests.getLast(), reason);
        }
    }

    /** The state of a resource that is tracked; null when it is not. */
    @Nullable
    public S get(String resource) {
        return states.get(resource);
    }

    /** The state of a resource that this node holds under that token; null when it does not. */
    @Nullable
    public S held(String resource, long token) {
        S state = states.get(resource);
        return state != null && state.isHeld() && state.token() == token ? state : null;
    }

    /** All that are tracked; a view. */
    public Collection<S> all() {
        return states.values();
    }

    /** All that are tracked; a copy. */
    public List<S> copy() {
        return List.copyOf(states.values());
    }

    /** Forgets everything. */
    public void clear() {
        states.clear();
    }

    /** For what is timed along with the resources. */
    public Timers timers() {
        return timers;
    }

    /** When the earliest timer is due; null: nothing is waited for. */
    @Nullable
    public Moment nextDeadline() {
        return timers.next();
    }
}
