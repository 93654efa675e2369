package io.paxoslease.node;

import io.paxoslease.HandOverException;
import io.paxoslease.LossReason;
import io.paxoslease.Nomination;
import io.paxoslease.PaxosLeaseException;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.NodeView;
import io.paxoslease.protocol.TenureList;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What one running node owes its users: requests under way and leases held. The node's thread applies effects; other
 * threads add and withdraw.
 */
final class LeaseTable implements EffectSink {

    private final NodeRuntime node;
    private final AtomicLong ids = new AtomicLong();
    private final OpenRequests requests = new OpenRequests();
    /** What other threads wait for besides leases: renewals, pauses, what other nodes know. */
    private final Map<Long, CompletableFuture<Boolean>> questions = new ConcurrentHashMap<>();

    private final Map<String, HeldLease> held = new ConcurrentHashMap<>();
    private final Unfinished<HeldLease> left = new Unfinished<>();
    /** To be given at the end of the node's present task. Only its thread looks here. */
    private final ArrayDeque<Runnable> answers = new ArrayDeque<>();

    private final LeaseReporter news;
    private final LossLog lossLog;
    private final ClockStatusReporter clocks;
    /** Made at the start: a node that has no memory left makes nothing. */
    private final FaultSteps ending;

    LeaseTable(NodeRuntime node, LeaseReporter news, LossLog lossLog, ClockStatusReporter clocks) {
        this.node = node;
        this.news = news;
        this.lossLog = lossLog;
        this.clocks = clocks;
        this.ending = new FaultSteps(
                node::leaves, node::endsRegisters, this::endsLeases, this::failsRequests, this::givesAnswers);
    }

    long nextId() {
        return ids.incrementAndGet();
    }

    /** Whoever keeps the lease here hears of it before the cell is asked: it may give it up. By any thread. */
    void await(long id, String resource, CompletableFuture<HeldLease> answer) {
        requests.add(new OpenRequests.Request(id, resource, node.clock().read().moment(), answer));
        HeldLease kept = held.get(resource);
        if (kept != null) {
            kept.wanted();
        }
    }

    /** Completes the answer at the latest when the node stops or fails, with false. By any thread. */
    void awaitAnswer(long id, CompletableFuture<Boolean> answer) {
        questions.put(id, answer);
    }

    /** Ends {@link #awaitAnswer}. By any thread. */
    void forgetAnswer(long id) {
        questions.remove(id);
    }

    private void answer(long id, boolean value) {
        CompletableFuture<Boolean> answer = questions.get(id);
        if (answer != null) {
            answer.complete(value); // first: what has not been answered stays
            questions.remove(id);
        }
    }

    /** What is known of the other members' wall clocks, where they are compared. By any thread. */
    List<NodeView.PeerClock> peerClocks() {
        return clocks.ofPeers();
    }

    /** Whether the request was still open: if not, its answer has been given or is being given. */
    boolean withdraw(long id) {
        OpenRequests.Request request = requests.take(id);
        if (request == null) {
            return false;
        }
        requests.answered(request);
        return true;
    }

    void forget(HeldLease lease) {
        held.remove(lease.resource(), lease);
    }

    /** It is over, and there was no memory to tell the cell: {@link #finish} does, at the latest with the next beat. By any thread. */
    void giveUpLater(HeldLease lease) {
        left.add(lease);
    }

    @Override
    public void apply(Effect effect) {
        if (effect instanceof Effect.Granted granted) {
            grant(granted);
        } else if (effect instanceof Effect.Extended extended) {
            HeldLease lease = lease(extended.resource(), extended.token());
            if (lease != null) {
                lease.extend(extended.until());
                news.extended(extended);
            }
        } else if (effect instanceof Effect.ExtendedTogether extended) {
            extend(extended);
        } else if (effect instanceof Effect.Suspected suspected) {
            HeldLease lease = lease(suspected.resource(), suspected.token());
            if (lease != null) {
                lease.suspect();
            }
        } else if (effect instanceof Effect.Lost lost) {
            lose(lost);
        } else if (effect instanceof Effect.Wanted wanted) {
            HeldLease lease = lease(wanted.resource(), wanted.token());
            if (lease != null && !lease.wanted(wanted.first())) {
                node.inUse(lease);
            }
        } else if (effect instanceof Effect.Denied denied) {
            deny(denied);
        } else if (effect instanceof Effect.Renewed renewed) {
            answer(renewed.requestId(), renewed.extended());
        } else if (effect instanceof Effect.HolderKnown found) {
            answer(found.requestId(), true);
        } else if (effect instanceof Effect.Watched told) {
            node.watches().apply(told);
        } else if (effect instanceof Effect.Nominated nominated) {
            node.successors().answer(nominated);
        } else {
            clocks.apply(effect);
        }
    }

    private void grant(Effect.Granted granted) {
        HeldLease lease = new HeldLease(node, granted.resource(), granted.token(), granted.until());
        OpenRequests.Request request = requests.take(granted.requestId());
        if (request == null) {
            node.giveUp(lease);
            return;
        }
        held.put(granted.resource(), lease);
        if (requests.anyFor(granted.resource())) { // whoever asks from now on finds the lease
            lease.wanted();
        }
        news.acquired(granted, lease, request);
        if (node.isOver()) { // whoever ended the node may have looked through the table before
            loseAll(LossReason.STOPPED);
        }
        answers.add(() -> {
            if (!request.answer.complete(lease)) {
                lease.release();
            }
            requests.answered(request);
        });
    }

    /** Whoever was waiting goes on, now that everything that came in together is known, and what is to be sent has left. */
    @Override
    public void finish() {
        for (Runnable answer = answers.poll(); answer != null; answer = answers.poll()) {
            answer.run();
        }
        if (!left.isEmpty()) {
            giveUpLeft();
        }
        node.callbacks().finish();
    }

    private void giveUpLeft() {
        for (HeldLease lease = left.poll(); lease != null; lease = left.poll()) {
            if (!node.giveUp(lease)) {
                return; // with the next beat
            }
        }
    }

    /** Only the first time that a list is extended are all its leases looked for; later, any of them knows the end that they follow. */
    private void extend(Effect.ExtendedTogether extended) {
        TenureList tenures = extended.tenures();
        LeaseEnd end = endOf(tenures);
        if (end != null) {
            end.moves(extended.until());
        } else {
            LeaseEnd fresh = LeaseEnd.of(tenures.number(), extended.until());
            for (int i = 0; i < tenures.size(); i++) {
                HeldLease lease = lease(tenures.resource(i), tenures.token(i));
                if (lease != null) {
                    lease.follow(fresh);
                }
            }
        }
        news.extendedTogether(extended);
    }

    private @Nullable LeaseEnd endOf(TenureList tenures) {
        for (int i = 0; i < tenures.size(); i++) {
            HeldLease lease = lease(tenures.resource(i), tenures.token(i));
            if (lease != null) {
                return lease.endOf(tenures.number());
            }
        }
        return null;
    }

    private void lose(Effect.Lost lost) {
        HeldLease lease = lease(lost.resource(), lost.token());
        if (lease != null) {
            LossReason reason = LossReason.valueOf(lost.reason().name());
            boolean noticed = lease.isInUse();
            lose(lease, reason);
            if (noticed && !lease.isOfElection) {
                lossLog.lost(lost.resource(), reason, lost.token());
            }
        }
    }

    /**
     * By any thread. The lease is over before it leaves the table: whoever does not find it there, and goes on to release, may
     * rely on that (P6). Nobody is told of a lease that was kept unused: there was nothing to lose.
     *
     * @return whether it ends by this call
     */
    private boolean lose(HeldLease lease, LossReason reason) {
        boolean noticed = lease.isInUse();
        boolean ended = lease.lose(
                reason); // if it throws, the lease stays: a node that fails tells again whom it could not tell
        held.remove(lease.resource(), lease);
        if (ended && noticed) {
            news.lost(lease, reason);
        }
        return ended;
    }

    /**
     * Takes the lease away from who holds it here: it is not held any more, and listeners are told, before the cell hears that
     * it is free (P6). Not from an election, which releases its lease when its candidate has finished. By any thread.
     *
     * @return whether it was held
     */
    boolean revoke(String resource) {
        HeldLease lease = held.get(resource);
        if (lease == null || lease.isOfElection || !lose(lease, LossReason.REVOKED)) {
            return false; // who ended it gives it up as well
        }
        node.giveUp(lease);
        return true;
    }

    /**
     * The same, if that node can have the lease next, which the members are asked first. Blocks.
     *
     * @throws HandOverException when that node does not wait, or a group of shards holds the lease
     */
    boolean revoke(String resource, String successor) {
        HeldLease lease = held.get(resource);
        if (lease == null) {
            return false;
        }
        if (lease.isOfElection) {
            throw new HandOverException(resource, successor, Nomination.PLANNED);
        }
        NodeId next = node.successors().nominateOrRefuse(lease, successor);
        if (!lose(lease, LossReason.REVOKED)) {
            return false;
        }
        node.giveUp(lease, next);
        return true;
    }

    /** Adds the resources that users of this node hold or wait for; some may come twice. By any thread. */
    void addResources(Collection<String> resources) {
        resources.addAll(held.keySet());
        requests.addResources(resources);
    }

    int heldCount() {
        return held.size();
    }

    @Nullable
    Moment grantedAt(String resource, long token) {
        HeldLease lease = lease(resource, token);
        return lease == null ? null : lease.grantedAt;
    }

    private void deny(Effect.Denied denied) {
        OpenRequests.Request request = requests.take(denied.requestId());
        if (request != null) {
            PaxosLeaseException why =
                    RefusedRequest.explain(denied, node.environment().storeTrouble(denied.resource()));
            answers.add(() -> {
                request.answer.completeExceptionally(why);
                requests.answered(request);
            });
            news.notAcquired(request);
        }
    }

    private @Nullable HeldLease lease(String resource, long token) {
        HeldLease lease = held.get(resource);
        return lease != null && lease.fencingToken() == token ? lease : null;
    }

    /** A copy. */
    List<HeldLease> held() {
        return List.copyOf(held.values());
    }

    /** Ends every lease here; called before anything is released to the cell (P6). By any thread. */
    void loseAll(LossReason reason) {
        Throwable failure = null;
        for (HeldLease lease : held.values()) {
            try {
                lose(lease, reason);
            } catch (RuntimeException | Error e) { // the others end as well
                failure = e;
            }
        }
        FaultSteps.raise(failure);
    }

    /** All leases end by it: {@link HeldLease#isHeld} asks the node. */
    @Override
    public void failed(Throwable fault) {
        node.fail(fault);
    }

    @Override
    public boolean endAfterFault() {
        return ending.run();
    }

    private boolean endsLeases() {
        node.callbacks().nodeFailed();
        loseAll(LossReason.FAILED);
        return true;
    }

    private boolean failsRequests() {
        failRequests(node.failure());
        return true;
    }

    private boolean givesAnswers() {
        node.callbacks().finish();
        return true; // FaultWatch goes on with what is left
    }

    /** No answer will come any more. */
    void failRequests(PaxosLeaseException reason) {
        requests.fail(reason);
        List.copyOf(questions.keySet()).forEach(id -> answer(id, false));
        node.successors().end();
    }
}
