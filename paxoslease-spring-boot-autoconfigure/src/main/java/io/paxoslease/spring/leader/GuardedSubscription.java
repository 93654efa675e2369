package io.paxoslease.spring.leader;

import io.paxoslease.election.GuardedCall;
import io.paxoslease.election.GuardedWork;
import java.util.Objects;
import java.util.Optional;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.core.ReactiveAdapter;

/** The call of an {@link OnLeader} method that returns a reactive type, made again at each subscription. */
record GuardedSubscription(
        LeaderCheck gate, LeaderGuard guard, ProxyMethodInvocation invocation, ReactiveAdapter adapter)
        implements GuardedPublisher.Subject {

    /** What the method seems to return. */
    static Object publish(LeaderCheck gate, LeaderGuard guard, MethodInvocation invocation, ReactiveAdapter adapter) {
        // The invocation is over when this returns, so each subscription gets a copy of it.
        ProxyMethodInvocation kept = (ProxyMethodInvocation) ((ProxyMethodInvocation) invocation).invocableClone();
        return adapter.fromPublisher(new GuardedPublisher(new GuardedSubscription(gate, guard, kept, adapter)));
    }

    @Override
    public Optional<GuardedWork> begin(Runnable onEnd) {
        Optional<GuardedWork> work = gate.begin(guard.role(), onEnd);
        if (work.isEmpty()) {
            guard.skipped(gate);
        }
        return work;
    }

    @Override
    public void subscribe(Subscriber<Object> subscriber) throws Throwable {
        GuardedCall call = gate.enter(guard.role(), guard.interrupt()).orElseThrow(guard::ended);
        try (call) {
            Object result = Objects.requireNonNull(
                    invocation.invocableClone().proceed(), () -> guard.method() + " returned null");
            adapter.<Object>toPublisher(result).subscribe(subscriber);
        }
    }

    @Override
    public @Nullable RuntimeException refusal() {
        return guard.skipped() == null ? guard.refusal() : null;
    }

    @Override
    public RuntimeException ended() {
        return guard.ended();
    }

    @Override
    public void left(GuardedWork work, boolean finished) {
        guard.left(gate, work, finished);
    }
}
