package io.paxoslease.protocol.storage;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Effect.Denial;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.LeaseView;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.NodeView;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.ResourceTable;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One client of leases in shared storage (Chockler and Malkhi, 2004): it acquires, renews and releases leases for its node by
 * way of one register for each. Not thread-safe.
 */
public final class StorageClient implements LeaseAlgorithm {

    private static final int MAX_SEEN = 4_096;
    /** How long a request that asks once waits for the word of a holder of this client. */
    private static final long TIME_TO_HEAR = 20_000_000;

    private final StorageRules rules;
    private final Accesses accesses;
    private final AccessTimes times;
    private final AcquireFlow acquireFlow;
    private final RenewFlow renewFlow;
    private final ConflictDetector conflicts;
    private final ResourceTable<ResourceState> table;
    private final AccessAnswers answers;
    private boolean stopped;

    /** Of registers whose resources are not tracked; those that are keep their own. */
    private final Map<String, RegisterObservation> seen = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, RegisterObservation> eldest) {
            return size() > MAX_SEEN;
        }
    };

    /**
     * @param self this node
     * @param store what and where the store is, in words
     * @param incarnations draws a new incarnation at each call
     * @param random spreads retries; decides nothing that matters for safety
     */
    public StorageClient(
            NodeId self,
            StorageRules rules,
            String store,
            Supplier<Incarnation> incarnations,
            RandomGenerator random,
            Reading now) {
        this.rules = rules;
        this.times = new AccessTimes(store, rules);
        this.accesses = new Accesses(self, rules, times, incarnations, random);
        this.renewFlow = new RenewFlow(accesses);
        this.acquireFlow = new AcquireFlow(accesses, renewFlow);
        this.conflicts = new ConflictDetector(self, rules, now.moment());
        this.table = new ResourceTable<>(self, rules.maxLeaseNanos(), TIME_TO_HEAR, new Rules(), accesses.out);
        this.answers = new AccessAnswers(accesses, times, acquireFlow, renewFlow, conflicts, table);
    }

    @Override
    public List<Effect> step(Event event, Reading now) {
        if (!stopped) {
            handle(event, now);
        }
        return accesses.out.take();
    }

    private void handle(Event event, Reading now) {
        table.handle(event, now);
        if (event instanceof Event.Received received) {
            if (received.from().equals(RegisterMessage.STORE)
                    && received.message() instanceof RegisterMessage.Answer answer) {
                answers.hear(answer, now);
            }
        } else if (event instanceof Event.ClocksDisagree disagree) {
            onClocksDisagree(disagree.mayBeSnapshot(), now);
        } else if (event instanceof Event.Shutdown) {
            shutdown(now);
        }
    }

    /** What differs from other algorithms in what users and timers bring about. */
    private final class Rules implements ResourceTable.Rules<ResourceState> {

        @Override
        public @Nullable Denial refusal(AcquireRequest request, Reading now) {
            Denial trouble = conflicts.denial(now.moment());
            long shortest = request.renewed() ? rules.shortestLeaseNanos(request.shared()) : 1;
            boolean fits = request.leaseNanos() <= rules.maxLeaseNanos() && request.leaseNanos() >= shortest;
            return trouble != null || fits ? trouble : Denial.REFUSED;
        }

        @Override
        public ResourceState track(String resource, Reading now) {
            return new ResourceState(
                    resource,
                    Objects.requireNonNullElseGet(
                            seen.remove(resource), () -> new RegisterObservation(rules.tokensAbove())),
                    now.moment());
        }

        @Override
        public void expire(ResourceState state, Reading now) {
            renewFlow.expire(state, now);
        }

        @Override
        public void added(ResourceState state, AcquireRequest request, Reading now) {
            boolean first = request.equals(state.requests.peek());
            if (first && state.access == null && state.attempt == null && state.release == null) {
                state.seen.wantsLook();
                boolean once = request.waitMode() == AcquireRequest.WaitMode.TRY_ONCE;
                state.nextAt = once ? now.moment() : state.seen.afterOthers(now.moment());
            }
        }

        @Override
        public void remove(ResourceState state, AcquireRequest request) {
            state.requests.remove(request);
        }

        @Override
        public void deny(ResourceState state, AcquireRequest request, Denial reason) {
            acquireFlow.deny(state, request, reason);
        }

        @Override
        public void giveUp(ResourceState state, Reading now) {
            if (state.tenure != null) {
                renewFlow.giveUp(state, state.tenure, now);
            }
        }

        @Override
        public void settle(ResourceState state, Reading now) {
            expire(state, now);
            answers.failIfLate(state, now);
            table.denyLate(state, now);
            if (state.access == null && !now.moment().isBefore(state.beginAt())) {
                begin(state, now);
            }
        }

        @Override
        public @Nullable Moment earliest(ResourceState state) {
            return state.earliest(rules);
        }

        @Override
        public void forget(ResourceState state) {
            seen.put(state.resource, state.seen);
        }
    }

    /** No deadline read before can be trusted, nor any time that was waited since. */
    private void onClocksDisagree(boolean mayBeSnapshot, Reading now) {
        if (mayBeSnapshot) {
            accesses.renewIncarnation();
            conflicts.startOver(now.moment());
        }
        for (ResourceState state : table.copy()) {
            Tenure tenure = state.tenure;
            state.attempt = null;
            state.release = null;
            accesses.abandon(state);
            state.nextAt = now.moment();
            if (tenure != null) {
                tenure.suspect = true;
                if (mayBeSnapshot) {
                    renewFlow.lose(state, tenure, now);
                } else {
                    accesses.emit(new Effect.Suspected(state.resource, tenure.token));
                }
            }
            table.settle(state, now);
        }
    }

    /** Gives up what can be given up by one write, denies every request. */
    private void shutdown(Reading now) {
        for (ResourceState state : table.copy()) {
            table.denyAll(state, Denial.STOPPED);
            if (state.tenure != null) {
                renewFlow.giveUp(state, state.tenure, now);
            }
            table.settle(state, now);
        }
        stopped = true;
    }

    private void begin(ResourceState state, Reading now) {
        if (state.release != null) {
            renewFlow.beginRelease(state, state.release, now);
        }
        if (state.access != null || state.release != null || now.moment().isBefore(state.beginAt())) {
            return;
        }
        if (state.tenure != null) {
            renewFlow.begin(state, state.tenure, now);
        } else if (state.attempt != null || !state.requests.isEmpty()) {
            acquireFlow.begin(state, now);
        }
    }

    @Override
    public @Nullable Moment nextDeadline() {
        return stopped ? null : table.nextDeadline();
    }

    @Override
    public NodeView view(Reading now) {
        return new NodeView(accesses.incarnation(), 0, true, List.of(), null, null);
    }

    /** None: what a store has, only the store can list. */
    @Override
    public int addRecords(int place, int count, Reading now, Collection<String> resources) {
        return -1;
    }

    @Override
    public @Nullable LeaseView view(String resource, Reading now) {
        ResourceState state = table.get(resource);
        return state == null ? null : state.view(accesses.self, rules, now.moment());
    }

    /** What is known of the store. */
    public StoreView store(Reading now) {
        return times.view(conflicts.problem(now.moment()), conflicts.count(), now.moment());
    }
}
