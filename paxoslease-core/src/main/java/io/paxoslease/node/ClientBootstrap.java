package io.paxoslease.node;

import io.paxoslease.AcquireOptions;
import io.paxoslease.InvalidOptionException;
import io.paxoslease.NodeMode;
import io.paxoslease.PaxosLeaseException;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.monitor.PeerStatus;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Printable;
import io.paxoslease.transport.CellConfig;
import io.paxoslease.transport.CellMembers;
import io.paxoslease.transport.netty.ContactPoints;
import io.paxoslease.transport.netty.Security;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a client does that has contact points, from its start until it knows the members: it asks, on a thread of its own, again and again.
 * Requests for leases wait meanwhile.
 */
final class ClientBootstrap implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(ClientBootstrap.class);
    private static final NodeClock CLOCK = new SystemClock();
    private static final long FIRST_RETRY_MILLIS = 100;
    private static final long LONGEST_RETRY_MILLIS = 5_000;
    private static final int MAX_DOUBLINGS = 6;

    private final PaxosLeaseOptions options;
    private final ContactPoints points;
    private final BiConsumer<ClientBootstrap, PaxosLeaseOptions> then;
    private final CompletableFuture<Void> joined = new CompletableFuture<>();
    /** What requests wait for; each ends when the client has joined or stops, when its time is over, or when it is withdrawn. */
    private final Set<Waiting> waiting = ConcurrentHashMap.newKeySet();

    private final Thread thread;
    private volatile List<PeerStatus> contacts;
    private @Nullable String told;

    private ClientBootstrap(
            PaxosLeaseOptions options, Security security, BiConsumer<ClientBootstrap, PaxosLeaseOptions> then) {
        this.options = options;
        this.then = then;
        this.contacts = options.contactPoints().stream()
                .map(point -> status(new ContactPoints.Contact(text(point), null, null, null)))
                .toList();
        this.points = new ContactPoints(
                options.cell(),
                new NodeId(options.nodeId()),
                new IncarnationSource().get(),
                options.application(),
                options.contactPoints(),
                options.resolver(),
                security);
        this.thread =
                Threads.daemon("paxoslease-" + options.nodeId() + "-joining").newThread(this);
    }

    /** @param then given this, and the options with what the members say, on the thread of its own */
    static ClientBootstrap start(
            PaxosLeaseOptions options, Security security, BiConsumer<ClientBootstrap, PaxosLeaseOptions> then) {
        ClientBootstrap joining = new ClientBootstrap(options, security, then);
        log.info(
                "PaxosLease client '{}' of cell '{}' asks its contact points who the members are: {}",
                options.nodeId(),
                options.cell(),
                Printable.line(options.contactPoints().stream()
                        .map(ClientBootstrap::text)
                        .toList()));
        boolean begun = false;
        try {
            joining.thread.start();
            begun = true;
        } finally {
            if (!begun) { // without a thread
                joining.points.close();
            }
        }
        return joining;
    }

    /** Requests that wait fail, as the node is stopped. Does not wait for the thread. */
    void stop() {
        end(RefusedRequest.stopped());
        thread.interrupt();
    }

    /** @param failure null when it has joined */
    private void end(@Nullable PaxosLeaseException failure) {
        if (failure == null) {
            joined.complete(null);
        } else {
            joined.completeExceptionally(failure);
        }
        waiting.forEach(each -> each.end.complete(null));
    }

    /** What is known of the contact points. */
    List<PeerStatus> contacts() {
        return contacts;
    }

    @Override
    public void run() {
        try (points) {
            for (int failures = 0; !joined.isDone(); failures++) {
                if (hasJoinedNow()) {
                    end(null);
                    return;
                }
                long longest = Math.min(LONGEST_RETRY_MILLIS, FIRST_RETRY_MILLIS << Math.min(failures, MAX_DOUBLINGS));
                Thread.sleep(longest / 2 + ThreadLocalRandom.current().nextLong(longest / 2 + 1));
            }
        } catch (InterruptedException stopped) {
            log.debug("Client '{}' stops before it has joined", options.nodeId());
        } finally {
            end(RefusedRequest.stopped());
        }
    }

    /** What fails while it is told that the attempt has failed, as for want of memory, does not end the attempts. */
    private boolean hasJoinedNow() throws InterruptedException {
        try {
            return hasJoined();
        } catch (RuntimeException | Error silent) {
            return false;
        }
    }

    private boolean hasJoined() throws InterruptedException {
        String problem;
        try {
            ContactPoints.Outcome outcome = points.ask();
            contacts = outcome.contacts().stream().map(ClientBootstrap::status).toList();
            if (outcome.members() == null) {
                return false; // the contact points have been written about
            }
            then.accept(this, complete(outcome.members()));
            return true;
        } catch (InvalidOptionException e) {
            problem = String.valueOf(e.getMessage());
        } catch (RuntimeException | Error fault) { // such as no memory, no thread, or a resolver that throws
            problem = String.valueOf(fault);
            log.debug("Asking the contact points failed", fault);
        }
        if (!problem.equals(told)) {
            told = problem;
            log.warn("Client '{}' cannot join its cell: {}; trying again", options.nodeId(), Printable.line(problem));
        }
        return false;
    }

    /** With what the members say. The longest lease of the cell bounds the client's own. */
    private PaxosLeaseOptions complete(CellMembers members) {
        CellConfig cell = members.teller().config();
        Duration leaseTime = options.leaseTime();
        if (leaseTime.compareTo(cell.maxLeaseTime()) > 0) {
            leaseTime = cell.maxLeaseTime();
            log.warn(
                    "The longest lease of cell '{}' is {}: this client's lease time is that, and not {}",
                    options.cell(),
                    leaseTime,
                    options.leaseTime());
        }
        PaxosLeaseOptions.Builder complete = PaxosLeaseOptions.builder(options.nodeId())
                .mode(NodeMode.CLIENT)
                .cell(options.cell())
                .leaseTime(leaseTime)
                .maxLeaseTime(cell.maxLeaseTime())
                .clockDrift(cell.clockDrift())
                .resolver(options.resolver())
                .callbackExecutor(options.callbackExecutor())
                .tls(options.tls())
                .application(options.application());
        Generation generation = cell.generation();
        MemberList previous = generation.previous();
        complete.generation(generation.number());
        members.addresses().forEach((id, address) -> {
            if (generation.current().members().contains(id)) {
                complete.peer(id.name(), text(address));
            }
            if (previous != null && previous.members().contains(id)) {
                complete.previousPeer(id.name(), text(address));
            }
        });
        if (previous != null) {
            complete.previousMaxLeaseTime(previous.maxLeaseTime()).previousClockDrift(previous.clockDrift());
        }
        return complete.build();
    }

    private static String text(InetSocketAddress address) {
        return Printable.address(address.getHostString(), address.getPort());
    }

    private static PeerStatus status(ContactPoints.Contact contact) {
        String address = contact.address();
        return new PeerStatus(address, address, false, contact.problem(), contact.refusal(), null, null, null);
    }

    /** Runs the code with what is left of the wait when the client has joined; else the result fails. Off this thread, as users' code may follow. */
    void whenJoined(String resource, AcquireOptions how, CompletableFuture<?> result, Consumer<AcquireOptions> code) {
        Duration wait = how.maxWait();
        Moment deadline = deadline(wait);
        Waiting request = new Waiting();
        CompletableFuture<Void> end = request.end;
        waiting.add(request);
        end.whenComplete((done, timeout) -> waiting.remove(request));
        end.whenComplete((done, timeout) -> callBack(() -> goOn(resource, how, deadline, result, code), result));
        result.whenComplete((lease, failure) -> end.complete(null));
        if (wait != null) {
            end.orTimeout(nanos(wait), TimeUnit.NANOSECONDS);
        }
        if (joined.isDone()) { // meanwhile
            end.complete(null);
        }
    }

    private void goOn(
            String resource,
            AcquireOptions how,
            @Nullable Moment deadline,
            CompletableFuture<?> result,
            Consumer<AcquireOptions> code) {
        try {
            if (result.isDone()) {
                return; // withdrawn
            }
            if (!joined.isDone()) {
                result.completeExceptionally(RefusedRequest.joining(resource));
            } else if (joined.isCompletedExceptionally()) {
                result.completeExceptionally(RefusedRequest.stopped());
            } else {
                code.accept(left(how, deadline));
            }
        } catch (RuntimeException | Error refused) { // such as a lease time that the cell does not grant
            result.completeExceptionally(refused);
        }
    }

    /** As a node does: what the executor does not take runs on another thread. If there is none, the result fails. */
    private void callBack(Runnable task, CompletableFuture<?> result) {
        Executor given = options.callbackExecutor();
        try {
            (given == null ? ForkJoinPool.commonPool() : given).execute(task);
        } catch (RuntimeException | Error rejected) {
            try {
                Threads.substitute().execute(task);
            } catch (RuntimeException | Error withoutThread) {
                result.completeExceptionally(withoutThread);
            }
        }
    }

    /** How many requests wait. */
    int waiting() {
        return waiting.size();
    }

    /**
     * Waits until the client has joined.
     *
     * @return what is left of the wait; null when it is over
     * @throws PaxosLeaseException when the node is stopped
     */
    @Nullable
    AcquireOptions await(AcquireOptions how) throws InterruptedException {
        Duration wait = how.maxWait();
        Moment deadline = deadline(wait);
        boolean inTime = CLOCK.await(nanos(wait), nanos -> Threads.isDone(joined, nanos));
        if (joined.isCompletedExceptionally()) {
            throw RefusedRequest.stopped();
        }
        return inTime ? left(how, deadline) : null;
    }

    private static long nanos(@Nullable Duration wait) {
        return wait == null || wait.compareTo(NodeRuntime.FOREVER) > 0 ? NodeRuntime.FOREVER.toNanos() : wait.toNanos();
    }

    private static @Nullable Moment deadline(@Nullable Duration wait) {
        return wait == null ? null : CLOCK.read().moment().plusNanos(nanos(wait));
    }

    private static AcquireOptions left(AcquireOptions how, @Nullable Moment deadline) {
        return deadline == null
                ? how
                : how.toBuilder()
                        .maxWait(Duration.ofNanos(
                                Math.max(0, CLOCK.read().moment().nanosUntil(deadline))))
                        .build();
    }

    private static final class Waiting {

        final CompletableFuture<Void> end = new CompletableFuture<>();
    }
}
