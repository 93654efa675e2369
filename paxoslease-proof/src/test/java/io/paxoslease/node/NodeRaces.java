package io.paxoslease.node;

import static io.paxoslease.node.Meeting.check;

import io.paxoslease.AcquireOptions;
import io.paxoslease.PaxosLease;
import io.paxoslease.interleaving.InterleavingScenario;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Threads that meet at a node's start, at its stop, or on the way to its thread. */
public final class NodeRaces {

    private static final AcquireOptions RENEWING = AcquireOptions.renewing();
    private static final String RESOURCE = "r";

    private NodeRaces() {}

    private static NodeRuntime running() {
        return StartedNodes.start(HandEnvironment.OPTIONS, HandEnvironment.withThread(new HandClock(), message -> {}));
    }

    /** Everything that is asked of a node is answered when it stops, and nothing is held then. */
    public static final class AskedAndStopped implements InterleavingScenario {

        @Override
        public void run() throws InterruptedException {
            NodeRuntime node = running();
            HeldLease held = StartedNodes.acquire(node, "held", RENEWING).join();
            Meeting.of(
                    node::stop,
                    () -> {
                        CompletableFuture<HeldLease> asked = StartedNodes.acquire(node, RESOURCE, RENEWING);
                        HeldLease lease = asked.exceptionally(failure -> null).join();
                        if (lease != null) {
                            lease.release();
                        }
                    },
                    () -> node.renew(held, Duration.ofSeconds(1)).join());
            check(!held.isHeld(), "held after the stop");
        }
    }

    /** A pause by the node's clock ends when the node stops. */
    public static final class PausedAndStopped implements InterleavingScenario {

        @Override
        public void run() throws InterruptedException {
            NodeRuntime node = running();
            Meeting.of(node::stop, () -> node.pause(Duration.ofHours(1)));
        }
    }

    /** However many start it, it is started once, and the stop ends it. */
    public static final class StartedTwice implements InterleavingScenario {

        @Override
        public void run() throws InterruptedException {
            PaxosLease node = HandEnvironment.node(new HandClock(), message -> {});
            Meeting.of(node::start, node::start, node::stop);
            node.start();
            Meeting.checkFree(node, RESOURCE);
            node.stop();
        }
    }

    /** What is handed to the node's thread while that one finishes what was there is seen. */
    public static final class HandedOver implements InterleavingScenario {

        @Override
        public void run() throws InterruptedException {
            PaxosLease node = Meeting.startedNode();
            Meeting.Part user =
                    () -> node.tryAcquire(RESOURCE, RENEWING).orElseThrow().release();
            Meeting.of(user, user, user);
            node.stop();
        }
    }
}
