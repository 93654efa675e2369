package io.paxoslease.spring.leader;

import io.paxoslease.election.GuardedCall;
import io.paxoslease.election.GuardedWork;
import io.paxoslease.election.Leadership;
import io.paxoslease.election.NotLeaderException;
import io.paxoslease.protocol.Printable;
import io.paxoslease.spring.proxy.AnnotationUsageException;
import io.paxoslease.spring.proxy.SkippedCalls;
import java.lang.reflect.Method;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ReactiveTypeDescriptor;
import org.springframework.util.ClassUtils;

/**
 * The parameters of the check at the entry of one {@link OnLeader} method.
 *
 * @param interrupt whether the end of leadership interrupts a call
 * @param skipped creates the value that a skipped call returns; null if calls fail instead
 * @param reactive of a method whose result is subscribed to later; null of any other
 * @param recorded of a scheduled method whose runs are recorded; null of any other
 */
record LeaderGuard(
        String method,
        String role,
        boolean interrupt,
        @Nullable Supplier<@Nullable Object> skipped,
        @Nullable ReactiveAdapter reactive,
        @Nullable RecordedTask recorded) {

    private static final Logger log = LoggerFactory.getLogger(OnLeader.class);
    private static final boolean REACTOR =
            ClassUtils.isPresent("reactor.core.publisher.Flux", LeaderGuard.class.getClassLoader());

    /**
     * @throws AnnotationUsageException if the role has no name or cannot be resolved, or no value of the method's return type can mean that a
     *     call was skipped
     */
    static LeaderGuard of(Method method, Class<?> targetClass, OnLeader annotation, UnaryOperator<String> resolver) {
        String role = OnLeaderRules.role(OnLeaderRules.ON_LEADER, method, annotation.role(), resolver);
        String name = "%s.%s()".formatted(targetClass.getSimpleName(), method.getName());
        ReactiveAdapter reactive = adapterOf(method.getReturnType());
        if (reactive != null && !REACTOR) {
            throw OnLeaderRules.misuse(
                    method,
                    "returns a reactive type, whose subscriptions Reactor guards, and Reactor is not on the class path.",
                    "Add the dependency io.projectreactor:reactor-core.");
        }
        // A listener's call that were skipped would take its message: between the end of leadership and the stop of its
        // container.
        boolean fails = annotation.otherwise() == OnLeader.Otherwise.FAIL
                || !MessageListeners.of(method).isEmpty();
        Supplier<@Nullable Object> skipped = fails ? null : SkippedCalls.valueFor(method.getReturnType());
        if (!fails && skipped == null) {
            throw OnLeaderRules.noSkippedValue(method);
        }
        return new LeaderGuard(name, role, annotation.interrupt(), skipped, reactive, null);
    }

    /** Of a type whose work begins at a subscription; null of any other, and of one that cannot be created here. */
    private static @Nullable ReactiveAdapter adapterOf(Class<?> returnType) {
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(returnType);
        if (adapter == null) {
            return null;
        }
        ReactiveTypeDescriptor type = adapter.getDescriptor();
        // Of a subtype, none can be created from a publisher.
        return type.isDeferred() && returnType.isAssignableFrom(type.getReactiveType()) ? adapter : null;
    }

    LeaderGuard recorded(@Nullable RecordedTask task) {
        return new LeaderGuard(method, role, interrupt, skipped, reactive, task);
    }

    @Nullable
    Object refuse() {
        if (skipped == null) {
            throw refusal();
        }
        return skipped.get();
    }

    NotLeaderException refusal() {
        return NotLeaderException.refused(
                role,
                "%s is for the leader of '%s' only, and this node does not lead it"
                        .formatted(method, Printable.name(role)));
    }

    /** Why work that goes on after its call is cancelled. */
    NotLeaderException ended() {
        return new NotLeaderException(
                role,
                "%s was cancelled, because this node's leadership of '%s' has ended"
                        .formatted(method, Printable.name(role)));
    }

    void skipped(LeaderCheck gate) {
        gate.skipped(role);
        log.debug("{} was skipped: this node does not lead '{}'", Printable.name(method), Printable.name(role));
    }

    /** @param finished whether the call returned normally */
    void left(LeaderCheck gate, GuardedCall call, boolean finished) {
        left(gate, call.leadership(), call.wasInterrupted(), finished && call.hasOutlivedItsLease());
    }

    /** @param finished whether the work ended by itself and without a failure */
    void left(LeaderCheck gate, GuardedWork work, boolean finished) {
        left(gate, work.leadership(), work.wasCancelled(), finished && work.hasOutlivedItsLease());
    }

    private void left(LeaderCheck gate, Leadership leadership, boolean interrupted, boolean overrun) {
        gate.left(role, interrupted, overrun);
        if (overrun) {
            log.warn(
                    "{} finished after its leadership of '{}' (fencing token {}) had ended: its work may have overlapped the"
                            + " next leader's. Call Leadership.current().check() during the work, and compare fencing tokens"
                            + " where it writes",
                    Printable.name(method),
                    Printable.name(role),
                    leadership.fencingToken());
        }
    }
}
