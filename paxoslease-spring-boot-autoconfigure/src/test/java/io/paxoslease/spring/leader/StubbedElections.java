package io.paxoslease.spring.leader;

import static org.awaitility.Awaitility.await;

import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.election.GuardedCall;
import io.paxoslease.election.GuardedWork;
import io.paxoslease.election.LeaderElection;
import io.paxoslease.election.Leadership;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** Replaces the elections: the test decides whether this node, a cell of one, leads. */
final class StubbedElections implements LeaderCheck {

    private final PaxosLease node =
            PaxosLease.create(PaxosLeaseOptions.builder("stub").build());

    /** The roles that were found on beans. */
    final Set<String> found = ConcurrentHashMap.newKeySet();

    /** The threads that called. */
    final Queue<String> askedBy = new ConcurrentLinkedQueue<>();

    /** The outcomes of calls, in words. */
    final Queue<String> calls = new ConcurrentLinkedQueue<>();

    /** The published events. */
    final List<Object> events = new ArrayList<>();

    private final Map<String, LeaderRole> roles = new ConcurrentHashMap<>();
    private final Map<String, LeaderElection> led = new ConcurrentHashMap<>();

    OnLeaderPostProcessor postProcessor() {
        return new OnLeaderPostProcessor(this);
    }

    /** From now on this node leads the role. */
    LeaderElection lead(String role) {
        node.start();
        LeaderElection election =
                LeaderElection.builder(node, role).resource(role).build(new HookedCandidate(join(role)));
        election.start();
        led.put(role, election);
        await().until(election::isLeader);
        return election;
    }

    /** The leadership of which the role's beans have been told; null: none. */
    @Nullable
    Leadership announced(String role) {
        return join(role).announced();
    }

    /** This node's leases end at once, whatever runs under them. */
    void loseEverything() {
        node.stop();
    }

    /** This node leads nothing any more. */
    void stop() {
        led.values().forEach(election -> election.stop(Duration.ofSeconds(10)));
        node.stop();
    }

    @Override
    public LeaderRole join(String role) {
        found.add(role);
        return roles.computeIfAbsent(
                role, name -> new LeaderRole(name, TestElections.settings(Duration.ofSeconds(10)), events::add, this));
    }

    @Override
    public Optional<GuardedCall> enter(String role, boolean interrupt) {
        askedBy.add(Thread.currentThread().getName());
        return Optional.ofNullable(led.get(role)).flatMap(election -> election.enter(interrupt));
    }

    @Override
    public Optional<GuardedWork> begin(String role, Runnable onEnd) {
        return Optional.ofNullable(led.get(role)).flatMap(election -> election.begin(onEnd));
    }

    @Override
    public void skipped(String role) {
        calls.add("refused");
    }

    @Override
    public void left(String role, boolean interrupted, boolean overrun) {
        calls.add((interrupted ? "interrupted" : "undisturbed") + (overrun ? ", overrun" : ""));
    }

    /** A context of those classes whose {@link OnLeader} methods are guarded by this; not refreshed. */
    AnnotationConfigApplicationContext context(Class<?>... beans) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.registerBean(OnLeaderPostProcessor.class, this::postProcessor);
        for (Class<?> bean : beans) {
            context.register(bean);
        }
        return context;
    }
}
