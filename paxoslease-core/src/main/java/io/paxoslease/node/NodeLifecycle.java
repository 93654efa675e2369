package io.paxoslease.node;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Membership;
import io.paxoslease.MembershipChange;
import io.paxoslease.PaxosLeaseException;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.monitor.NodeObserver;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.transport.netty.Security;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Starts and stops a node: of a client that has contact points, it begins to run when these have said who the members are. */
final class NodeLifecycle {

    private final PaxosLeaseOptions options;
    private final Function<PaxosLeaseOptions, NodeEnvironment> environments;
    private final Security security;
    private final NodeInstrumentation instruments;
    private volatile @Nullable NodeRuntime running;
    private volatile @Nullable ClientBootstrap joining;
    private volatile @Nullable MembershipWatch watch;
    private volatile Runnable onStart = () -> {};

    NodeLifecycle(
            PaxosLeaseOptions options,
            Function<PaxosLeaseOptions, NodeEnvironment> environments,
            Security security,
            NodeInstrumentation instruments) {
        this.options = options;
        this.environments = environments;
        this.security = security;
        this.instruments = instruments;
    }

    /** @param code called whenever the node runs from now on; must not block */
    void whenStarted(Runnable code) {
        onStart = code;
    }

    synchronized void start() {
        if (isStarted()) {
            return;
        }
        if (options.contactPoints().isEmpty()) {
            begin(StoredMembership.resolve(options));
        } else {
            joining = ClientBootstrap.start(options, security, this::joined);
        }
    }

    private void begin(PaxosLeaseOptions complete) {
        NodeRuntime node = NodeRuntime.start(complete, environments.apply(complete), instruments);
        running = node;
        instruments.observers().tell(this::tellPeers);
        try {
            watch = MembershipWatch.start(node);
        } catch (RuntimeException | Error withoutThread) {
            stop();
            throw withoutThread;
        }
        onStart.run();
    }

    /** None while the node does not run: its next start tells of them. */
    void tellPeers(NodeObserver observer) {
        NodeRuntime node = running;
        if (node != null) {
            node.environment()
                    .peers()
                    .forEach(peer -> observer.peerAdded(peer.node().name()));
        }
    }

    synchronized void joined(ClientBootstrap done, PaxosLeaseOptions complete) {
        if (joining == done) { // else it was stopped meanwhile
            begin(complete);
            joining = null; // last: a thread that sees that the client has joined sees that it runs
        }
    }

    synchronized void stop() {
        ClientBootstrap asking = joining;
        NodeRuntime node = running;
        MembershipWatch looking = watch;
        joining = null;
        running = null;
        watch = null;
        try { // each in any case: nothing finds them here any more
            if (looking != null) {
                looking.stop();
            }
        } finally {
            try {
                if (asking != null) {
                    asking.stop();
                }
            } finally {
                if (node != null) {
                    node.stop();
                }
            }
        }
    }

    boolean isStarted() {
        return joining != null || running != null;
    }

    /** @param node what {@link #running} has answered, which does not tell what it is */
    NodeStatus.State stateOf(@Nullable NodeRuntime node) {
        if (joining != null) {
            return NodeStatus.State.JOINING;
        }
        return node == null ? NodeStatus.State.STOPPED : NodeStatus.State.FAILED;
    }

    /** Asks the cell for a lease; throws when the node is stopped. Null when the time to wait was over before the node knew the members. */
    @Nullable
    PendingLease request(String resource, AcquireOptions how) throws InterruptedException {
        ClientBootstrap asking = joining;
        AcquireOptions left = asking == null ? how : asking.await(how);
        if (left == null) {
            return null;
        }
        NodeRuntime node = running;
        if (node == null) {
            throw RefusedRequest.stopped();
        }
        return PendingLease.ask(node, resource, left, null);
    }

    /** What the node runs with now; what it was made with while it does not. */
    PaxosLeaseOptions options() {
        MembershipWatch looking = watch;
        NodeRuntime node = running;
        return looking != null ? looking.options() : node == null ? options : node.options();
    }

    /**
     * Stores another generation of the members, and looks at once whether this node is to move to it.
     *
     * @throws PaxosLeaseException when the change is refused
     */
    Membership change(MembershipChange change) {
        Membership stored = MemberChange.of(running, options()).to(change);
        MembershipWatch looking = watch;
        if (looking != null) {
            looking.look();
        }
        return stored;
    }

    /** Null while it is not started, or is joining. */
    @Nullable
    NodeRuntime running() {
        return running;
    }

    /** Null while it does not ask its contact points. To be looked at before {@link #running}. */
    @Nullable
    ClientBootstrap joining() {
        return joining;
    }
}
