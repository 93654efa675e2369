package io.paxoslease.protocol.storage;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Effect.Denial;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.LeaseView;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.NodeView;
import io.paxoslease.protocol.Participant;
import io.paxoslease.protocol.Printable;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timed;
import io.paxoslease.protocol.Timers;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One client of leases in shared storage (Chockler and Malkhi, 2004): it acquires, renews and releases leases for its node by
 * way of one register for each. Not thread-safe. Every handler ends in {@link #settle}, which does what the clock has made due.
 */
public final class StorageClient implements Participant {

    private static final int MAX_SEEN = 4_096;
    private static final long TIME_TO_HEAR = 20_000_000;

    private final StorageRules rules;
    private final Accesses accesses;
    private final AccessTimes times;
    private final Contender contender;
    private final Keeper keeper;
    private final OtherClients others;
    private final Map<String, Claim> claims = new HashMap<>();
    private final Timers timers = new Timers();
    private boolean stopped;

    /** Of registers that nothing is done about; a claim keeps its own. */
    private final Map<String, Seen> seen = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Seen> eldest) {
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
        this.contender = new Contender(accesses);
        this.keeper = new Keeper(accesses, contender);
        this.others = new OtherClients(self, rules, now.moment());
    }

    @Override
    public List<Effect> step(Event event, Reading now) {
        if (!stopped) {
            handle(event, now);
        }
        return accesses.takeEffects();
    }

    private void handle(Event event, Reading now) {
        if (event instanceof Event.Received received) {
            if (received.from().equals(RegisterMessage.STORE)
                    && received.message() instanceof RegisterMessage.Answer answer) {
                hear(answer, now);
            }
        } else if (event instanceof Event.Woken) {
            wake(now);
        } else if (event instanceof Event.Acquire acquire) {
            acquire(acquire.request().at(now.moment()), now);
        } else if (event instanceof Event.Withdraw withdraw) {
            Claim claim = claims.get(withdraw.resource());
            if (claim != null) {
                claim.requests.removeIf(request -> request.id() == withdraw.requestId());
                settle(claim, now);
            }
        } else if (event instanceof Event.GiveUp giveUp) {
            Claim claim = holding(giveUp.resource(), giveUp.token());
            if (claim != null && claim.tenure != null) {
                keeper.giveUp(claim, claim.tenure, now);
                settle(claim, now);
            }
        } else if (event instanceof Event.Renew renew) {
            renew(renew, now);
        } else if (event instanceof Event.InUse inUse) {
            Claim claim = holding(inUse.resource(), inUse.token());
            if (claim != null) {
                contender.denyAskers(claim, Denial.HELD);
                settle(claim, now);
            }
        } else if (event instanceof Event.ClocksDisagree disagree) {
            onClocksDisagree(disagree.mayHaveForgotten(), now);
        } else if (event instanceof Event.Shutdown) {
            shutdown(now);
        }
    }

    private @Nullable Claim holding(String resource, long token) {
        Claim claim = claims.get(resource);
        return claim != null && claim.tenure != null && claim.tenure.token == token ? claim : null;
    }

    private void acquire(AcquireRequest request, Reading now) {
        long shortest = request.renewed() ? rules.shortestLeaseNanos(request.shared()) : 1;
        Denial trouble = others.denial(now.moment());
        Denial refusal = trouble != null
                ? trouble
                : request.leaseNanos() > rules.maxLeaseNanos() || request.leaseNanos() < shortest
                        ? Denial.REFUSED
                        : null;
        if (refusal != null) {
            accesses.emit(new Effect.Denied(request.id(), request.resource(), refusal, null));
            return;
        }
        Claim claim = claims.computeIfAbsent(
                request.resource(),
                name -> new Claim(name, Objects.requireNonNullElseGet(seen.remove(name), Seen::new), now.moment()));
        expire(claim, now);
        boolean once = request.patience() == AcquireRequest.Patience.ASK_ONCE;
        if (claim.tenure != null) {
            claim.requests.add(once ? request.endingAt(now.moment().plusNanos(TIME_TO_HEAR)) : request);
            accesses.emit(new Effect.Wanted(claim.resource, claim.tenure.token));
        } else if (once && !claim.requests.isEmpty()) {
            accesses.emit(new Effect.Denied(request.id(), claim.resource, Denial.HELD, accesses.self));
        } else {
            boolean first = claim.requests.isEmpty();
            claim.requests.add(request);
            if (first && claim.access == null && claim.attempt == null && claim.release == null) {
                claim.next(Claim.Phase.LOOK, once ? now.moment() : claim.seen.afterOthers(now.moment()));
            }
        }
        settle(claim, now);
    }

    private void renew(Event.Renew renew, Reading now) {
        Claim claim = holding(renew.resource(), renew.token());
        boolean possible = renew.leaseNanos() > 0 && renew.leaseNanos() <= rules.maxLeaseNanos();
        if (claim == null || !possible) {
            accesses.emit(new Effect.Renewed(renew.requestId(), false));
            return;
        }
        claim.renewals.add(new Claim.Renewal(renew.requestId(), renew.leaseNanos()));
        settle(claim, now);
    }

    private void hear(RegisterMessage.Answer answer, Reading now) {
        String failure = answer instanceof RegisterMessage.Failed failed ? failed.reason() : null;
        tell(times.ended(answer.access(), failure, now.moment()));
        Claim claim = accesses.claimOf(answer.access());
        if (claim == null || claim.access == null) {
            return;
        }
        Claim.Access access = claim.access;
        expire(claim, now);
        boolean late = !now.moment().isBefore(access.startedAt().moment().plusNanos(rules.accessNanos()));
        if (claim.access != null) { // else the tenure that it was for has ended by now
            if (late || answer instanceof RegisterMessage.Failed) {
                fail(claim, access, now);
            } else {
                claim.access = null;
                take(claim, access, answer, now);
            }
        }
        settle(claim, now);
    }

    private void tell(AccessTimes.@Nullable Warning warning) {
        if (warning != null) {
            accesses.emit(new Effect.Notice(warning.level(), warning.text()));
        }
    }

    private void take(Claim claim, Claim.Access access, RegisterMessage.Answer answer, Reading now) {
        if (answer instanceof RegisterMessage.Done done && access.wrote() != null) {
            written(claim, access.phase(), access.wrote(), done.replaced(), now);
        } else if (answer instanceof RegisterMessage.Value value && access.wrote() == null) {
            if (look(claim, value.content(), now)) {
                read(claim, access, value.content(), now);
            }
        } else {
            fail(claim, access, now);
        }
    }

    private void written(Claim claim, Claim.Phase phase, Claim.Attempt attempt, boolean replaced, Reading now) {
        if (phase == Claim.Phase.WRITE) {
            contender.written(claim, attempt, replaced, now);
        } else if (phase == Claim.Phase.RELEASE) {
            keeper.released(claim, replaced, now);
        } else if (claim.tenure != null) {
            keeper.written(claim, claim.tenure, attempt, replaced, now);
        } else if (claim.release != null) {
            keeper.writtenBeforeRelease(claim, claim.release, attempt, replaced, now);
        }
    }

    private void read(Claim claim, Claim.Access access, @Nullable Content content, Reading now) {
        Claim.Attempt attempt = claim.attempt;
        if (claim.release != null) {
            keeper.lookedBeforeRelease(claim, claim.release, content, now);
        } else if (claim.tenure != null && attempt != null) {
            keeper.checked(claim, claim.tenure, attempt, access, content, now);
        } else if (claim.tenure != null) {
            keeper.looked(claim, claim.tenure, access, content, now);
        } else if (attempt != null) {
            contender.checked(claim, attempt, access, content, now);
        } else {
            contender.looked(claim, access, content, now);
        }
    }

    /** Notes what was read. Answers whether it can be gone by. */
    private boolean look(Claim claim, @Nullable Content content, Reading now) {
        Stamp stamp;
        try {
            stamp = content == null ? null : StampCodec.decode(content);
        } catch (UnreadableStampException e) {
            accesses.emit(new Effect.Notice(
                    Effect.Notice.Level.ERROR,
                    "The register of lease '%s' cannot be used: %s. Nothing is overwritten: remove it when no client uses it, or give the clients another place"
                            .formatted(Printable.name(claim.resource), Printable.text(e.getMessage()))));
            contender.denyAll(claim, Denial.UNREADABLE);
            claim.attempt = null;
            claim.release = null;
            if (claim.tenure != null) {
                keeper.lose(claim, claim.tenure, now);
            }
            return false;
        }
        Moment before = claim.seen.look(content, stamp, now.moment());
        others.notice(stamp, before, accesses.incarnation(), claim.resource, now.moment())
                .forEach(problem -> accesses.emit(new Effect.Notice(Effect.Notice.Level.ERROR, problem)));
        Denial trouble = others.denial(now.moment());
        if (trouble != null) {
            List.copyOf(claims.values()).forEach(each -> contender.denyAll(each, trouble));
        }
        return true;
    }

    private void fail(Claim claim, Claim.Access access, Reading now) {
        accesses.abandon(claim);
        if (claim.release != null) {
            keeper.releaseFailed(claim, access.phase(), now);
        } else if (claim.tenure != null) {
            keeper.failed(claim, access.phase(), now);
        } else {
            contender.failed(claim, access.phase(), now);
        }
    }

    /** No deadline read before can be trusted, nor any time that was waited since. */
    private void onClocksDisagree(boolean mayHaveForgotten, Reading now) {
        if (mayHaveForgotten) {
            accesses.renewIncarnation();
            others.startAnew(now.moment());
        }
        for (Claim claim : List.copyOf(claims.values())) {
            Tenure tenure = claim.tenure;
            claim.attempt = null;
            claim.release = null;
            accesses.abandon(claim);
            claim.next(Claim.Phase.LOOK, now.moment());
            if (tenure != null) {
                tenure.suspect = true;
                if (mayHaveForgotten) {
                    keeper.lose(claim, tenure, now);
                } else {
                    accesses.emit(new Effect.Suspected(claim.resource, tenure.token));
                }
            }
            settle(claim, now);
        }
    }

    /** Gives up what can be given up by one write, denies every request. */
    private void shutdown(Reading now) {
        for (Claim claim : List.copyOf(claims.values())) {
            contender.denyAll(claim, Denial.STOPPED);
            if (claim.tenure != null) {
                keeper.giveUp(claim, claim.tenure, now);
            }
            settle(claim, now);
        }
        stopped = true;
    }

    private void wake(Reading now) {
        for (Timed timed = timers.poll(now.moment()); timed != null; timed = timers.poll(now.moment())) {
            if (timed instanceof Claim claim) {
                settle(claim, now);
            }
        }
    }

    private void expire(Claim claim, Reading now) {
        if (claim.tenure != null && claim.tenure.isOver(now.moment())) {
            keeper.lose(claim, claim.tenure, now);
        }
    }

    /** Does what has become due, then sets the timer, or forgets a claim that waits for nothing. */
    private void settle(Claim claim, Reading now) {
        expire(claim, now);
        Claim.Access access = claim.access;
        if (access != null && !now.moment().isBefore(access.startedAt().moment().plusNanos(rules.accessNanos()))) {
            tell(times.unanswered(now.moment()));
            fail(claim, access, now);
        }
        if (claim.unwanted && claim.tenure != null) {
            keeper.giveUp(claim, claim.tenure, now);
        }
        claim.unwanted = false;
        denyLate(claim, now);
        if (claim.access == null && !now.moment().isBefore(claim.beginAt())) {
            begin(claim, now);
        }
        if (claim.isIdle()) {
            claims.remove(claim.resource);
            seen.put(claim.resource, claim.seen);
        }
        timers.set(claim, claim.isIdle() ? null : claim.earliest(rules));
    }

    private void begin(Claim claim, Reading now) {
        if (claim.release != null) {
            keeper.beginRelease(claim, claim.release, now);
        }
        if (claim.access != null || claim.release != null || now.moment().isBefore(claim.beginAt())) {
            return;
        }
        if (claim.tenure != null) {
            keeper.begin(claim, claim.tenure, now);
        } else if (claim.attempt != null || !claim.requests.isEmpty()) {
            contender.begin(claim, now);
        }
    }

    /** A limit on the wait leaves time to ask, so that a free lease is granted however short the wait. */
    private void denyLate(Claim claim, Reading now) {
        for (AcquireRequest request : List.copyOf(claim.requests)) {
            boolean late = request.giveUpAt() != null && !now.moment().isBefore(request.giveUpAt());
            if (late && !(claim.isAsking() && request.equals(claim.requests.peek()))) {
                boolean once = request.patience() == AcquireRequest.Patience.ASK_ONCE;
                contender.deny(claim, request, once ? Denial.HELD : Denial.TIMED_OUT);
            }
        }
    }

    @Override
    public @Nullable Moment nextDeadline() {
        return stopped ? null : timers.next();
    }

    @Override
    public NodeView view(int limit, Reading now) {
        List<LeaseView> leases = claims.values().stream()
                .limit(limit)
                .map(claim -> view(claim, now.moment()))
                .toList();
        return new NodeView(accesses.incarnation(), 0, leases);
    }

    /** None: what a store has, only the store can list. */
    @Override
    public int addRecords(int place, int count, Reading now, Collection<String> resources) {
        return -1;
    }

    @Override
    public @Nullable LeaseView view(String resource, Reading now) {
        Claim claim = claims.get(resource);
        return claim == null ? null : view(claim, now.moment());
    }

    /** What is known of the store. */
    public StoreView store(Reading now) {
        return times.view(others.problem(now.moment()), others.conflicts(), now.moment());
    }

    private LeaseView view(Claim claim, Moment now) {
        Tenure tenure = claim.tenure;
        long last = claim.seen.nextSequence() - 1;
        if (tenure != null) {
            return new LeaseView(
                    claim.resource,
                    tenure.suspect ? LeaseView.State.SUSPECT : LeaseView.State.HELD,
                    accesses.self,
                    tenure.token,
                    last,
                    Math.max(0, now.nanosUntil(tenure.until.moment())),
                    tenure.renewals,
                    0,
                    !tenure.suspect);
        }
        long wait = claim.seen.waitNanos(rules, now);
        Stamp stamp = claim.seen.stamp();
        NodeId owner = stamp == null || wait <= 0 ? null : stamp.owner();
        long age = owner == null ? 0 : claim.seen.ageNanos(now);
        return new LeaseView(
                claim.resource, LeaseView.State.WAITING, owner, 0, last, owner == null ? -1 : wait, 0, age, false);
    }
}
