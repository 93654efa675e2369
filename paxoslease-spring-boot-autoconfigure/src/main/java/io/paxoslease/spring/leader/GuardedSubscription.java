package io.paxoslease.spring.leader;

import io.paxoslease.election.GuardedCall;
import io.paxoslease.election.GuardedWork;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.core.ReactiveAdapter;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * The call of an {@link OnLeader} method that returns a reactive type, made again at each subscription: if this node leads, it calls the
 * method and subscribes to its result. When leadership ends, it cancels that and fails. Needs Reactor on the class path.
 */
record GuardedSubscription(
        LeaderCheck gate, LeaderGuard guard, ProxyMethodInvocation invocation, ReactiveAdapter adapter) {

    /** What the method seems to return. */
    static Object publish(LeaderCheck gate, LeaderGuard guard, MethodInvocation invocation, ReactiveAdapter adapter) {
        // The invocation is over when this returns, so each subscription gets a copy of it.
        ProxyMethodInvocation kept = (ProxyMethodInvocation) ((ProxyMethodInvocation) invocation).invocableClone();
        GuardedSubscription calls = new GuardedSubscription(gate, guard, kept, adapter);
        // Hidden, as Reactor maps a value that it sees before the subscriber has its subscription, and the end of
        // leadership could come in between.
        Flux<Object> guarded = Mono.just(calls).hide().flatMapMany(GuardedSubscription::begin);
        // A type of one element would be taken from a publisher of many by cancelling that after the first.
        return adapter.fromPublisher(adapter.isMultiValue() ? guarded : guarded.singleOrEmpty());
    }

    private Publisher<Object> begin() {
        Disposable.Swap source = Disposables.swap();
        AtomicReference<@Nullable GuardedWork> open = new AtomicReference<>();
        Sinks.Empty<Object> end = Sinks.empty();
        GuardedWork work = gate.begin(guard.role(), () -> {
                    try {
                        source.dispose(); // takeUntilOther does not, if the other publisher fails
                    } finally {
                        end.tryEmitError(guard.ended());
                    }
                })
                .orElse(null);
        if (work == null) {
            guard.skipped(gate);
            return guard.skipped() == null ? Flux.error(guard.refusal()) : Flux.empty();
        }
        open.set(work);
        Publisher<Object> result = this::subscribe;
        // Using cancels the source once, and leaves before the subscriber is told of an end.
        return Flux.using(
                        () -> work,
                        begun -> Flux.from(result)
                                .doOnNext(element -> checkLease(begun))
                                .doOnComplete(() -> leave(open, true)),
                        begun -> leave(open, false))
                .doOnSubscribe(known -> source.update(() -> cancel(known, open))) // at once, if disposed of
                .doOnCancel(source::dispose)
                .takeUntilOther(end.asMono());
    }

    /** By the clock: a process that was suspended delivers elements before it hears that its leadership has ended. */
    private void checkLease(GuardedWork work) {
        if (work.hasOutlivedItsLease()) {
            throw guard.ended();
        }
    }

    private void subscribe(Subscriber<? super Object> subscriber) {
        try {
            call(subscriber);
        } catch (Throwable failure) { // of the method, which may throw anything
            Flux.error(failure).subscribe(subscriber);
        }
    }

    /** Calls the method, and subscribes to its result, which may begin the work on this thread. */
    private void call(Subscriber<? super Object> subscriber) throws Throwable {
        GuardedCall call = gate.enter(guard.role(), guard.interrupt()).orElseThrow(guard::ended);
        try (call) {
            Object result = Objects.requireNonNull(
                    invocation.invocableClone().proceed(), () -> guard.method() + " returned null");
            adapter.<Object>toPublisher(result).subscribe(subscriber);
        }
    }

    /** The work counts until its source is cancelled, or has failed to be. */
    private void cancel(Subscription source, AtomicReference<@Nullable GuardedWork> open) {
        try {
            source.cancel();
        } finally {
            leave(open, false);
        }
    }

    private void leave(AtomicReference<@Nullable GuardedWork> open, boolean finished) {
        GuardedWork work = open.getAndSet(null);
        if (work != null) {
            work.close();
            guard.left(gate, work, finished);
        }
    }
}
