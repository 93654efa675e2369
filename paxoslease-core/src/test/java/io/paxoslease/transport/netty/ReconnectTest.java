package io.paxoslease.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufAllocator;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.FreePorts;
import io.paxoslease.testing.LogCapture;
import io.paxoslease.testing.RawConnection;
import io.paxoslease.transport.CellConfig;
import io.paxoslease.transport.Frames;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Node a, whose peer b comes, goes, or is hard to find. */
@Tag("slow")
class ReconnectTest {

    private final CellConfig config = Endpoint.config("cell", "a", "b");
    private final Map<String, Integer> ports = Map.of("a", FreePorts.next(), "b", FreePorts.next());
    /** Node b looks for a where nobody is, so that every connection is made by a. */
    private final Map<String, Integer> portsOfB = Map.of("a", FreePorts.next(), "b", ports.getOrDefault("b", 0));

    private LogCapture log;

    @BeforeEach
    void listen() {
        log = LogCapture.of(NettyTransport.class);
    }

    @AfterEach
    void close() {
        log.close();
    }

    @Test
    void aPeerThatStartsLaterIsFound() throws IOException {
        try (Endpoint a = Endpoint.start(config, "a", ports)) {
            String line = "cannot reach peer 'b' at 127.0.0.1:%d (Connection refused); trying again"
                    .formatted(ports.get("b"));
            log.awaitCount(line, 3);
            assertThat(log.lines())
                    .filteredOn(each -> !each.startsWith("DEBUG"))
                    .containsExactly("INFO " + line);

            try (Endpoint b = Endpoint.start(config, "b", portsOfB)) {
                a.awaitConnected("b");
                b.awaitConnected("a");
            }
        }
    }

    @Test
    void aPeerThatRestartsIsFoundAgain() throws IOException, InterruptedException {
        try (Endpoint a = Endpoint.start(config, "a", ports)) {
            for (int life = 1; life <= 3; life++) {
                try (Endpoint b = Endpoint.start(config, "b", portsOfB)) {
                    assertThat(a.reachable.poll(10, TimeUnit.SECONDS)).isNotNull();
                    a.send("b", Endpoint.request(life));
                    assertThat(b.next()).isNotNull();
                }
                log.awaitCount("lost the connection with peer 'b'", life);
            }
            assertThat(log.count("INFO Connected to peer 'b'")).isEqualTo(3);
            assertThat(log.count("INFO lost the connection with peer 'b'")).isEqualTo(3);
            assertThat(log.warnings("")).as("for restarts").isEmpty();
        }
    }

    /** Its quarantine counts from the start of its process, however often the connection is lost. */
    @Test
    void howLongAProcessIsKnownCountsOverAllItsConnections() throws Exception {
        try (Endpoint a = Endpoint.start(config, "a", ports)) {
            assertThat(a.state("b").knownNanos()).isEqualTo(PeerState.UNKNOWN);
            long start = System.nanoTime();
            long met;
            try (Endpoint b = Endpoint.start(config, "b", portsOfB)) {
                a.awaitConnected("b");
                b.awaitConnected("a");
                met = System.nanoTime();
                a.settle().reachable.clear();
                b.transport.loop().execute(() -> b.transport.links.forEachConnection(Connection::close));
                assertThat(a.reachable.poll(10, TimeUnit.SECONDS)).isNotNull();
                long before = System.nanoTime() - met;
                assertThat(a.state("b").knownNanos()).isBetween(before, System.nanoTime() - start);
            }
            Eventually.until("b is gone", () -> !a.state("b").connected());
            assertThat(a.state("b").knownNanos()).isEqualTo(PeerState.UNKNOWN);
            long gone = System.nanoTime();
            try (Endpoint next = Endpoint.start(config, "b", portsOfB)) {
                next.awaitConnected("a");
                a.awaitConnected("b");
                assertThat(a.state("b").knownNanos()).isBetween(0L, System.nanoTime() - gone);
            }
        }
    }

    @Test
    void aPeerThatStaysAwayIsOneWarning() throws IOException {
        try (Endpoint a = Endpoint.start(config, "a", ports)) {
            try (Endpoint b = Endpoint.start(config, "b", ports)) {
                a.awaitBothConnections("b");
                b.awaitBothConnections("a");
            }
            assertThat(log.warnings("")).isEmpty();
            Eventually.until("b is gone", () -> !a.state("b").connected());
            log.awaitCount("cannot reach peer 'b'", 8); // the last ones come once a second
            log.await("WARN peer 'b' has been away for 1"); // 10 s, or more on a slow machine
            assertThat(log.count("INFO lost the connection with peer 'b'")).isEqualTo(1);
            assertThat(log.warnings(""))
                    .singleElement()
                    .asString()
                    .endsWith(
                            ": cannot reach peer 'b' at 127.0.0.1:%d (Connection refused); trying again. Start it, or see to the network between it and this node"
                                    .formatted(ports.get("b")));
        }
    }

    /** That the next attempt fails may come before that its connection has ended. */
    @Test
    void aPeerThatWasConnectedIsLostWhateverIsHeardFirst() throws IOException {
        try (Endpoint a = Endpoint.start(config, "a", ports);
                RawConnection b = RawConnection.to(ports.getOrDefault("a", 0))) {
            b.write(out -> Frames.writeHello(out, Frames.HELLO, Endpoint.hello(config, "b", "a")));
            a.awaitConnected("b");
            a.transport.loop().execute(() -> {
                PeerLink link = a.transport.links.peer(new NodeId("b"));
                Objects.requireNonNull(link.inbound).close();
                link.dialFailed("no way to b");
            });
            Eventually.until("b is gone", () -> !a.state("b").connected());

            log.await("INFO lost the connection with peer 'b'");
        }
    }

    @Test
    void aHostThatDoesNotResolveYetIsTriedAgain() throws IOException {
        findsTheWayAfter(3, InetSocketAddress::createUnresolved);

        assertThat(
                        log.count(
                                "INFO host '127.0.0.1' of peer 'b' does not resolve: check its address in the peers; trying again"))
                .isEqualTo(1);
        assertThat(log.warnings("")).isEmpty();
    }

    @Test
    void aResolverThatFailsIsAskedAgain() throws IOException {
        findsTheWayAfter(3, (host, port) -> {
            throw new UncheckedIOException(new IOException("no name service"));
        });

        assertThat(log.count("INFO host '127.0.0.1' of peer 'b' does not resolve"))
                .isEqualTo(1);
    }

    /** A mistake in somebody's resolver must not cut the peer off for ever. */
    @Test
    @SuppressWarnings("NullAway")
    void aResolverThatAnswersNothingIsAskedAgain() throws IOException {
        findsTheWayAfter(3, (host, port) -> null);
    }

    @Test
    void aResolverThatBreaksDownIsAskedAgain() throws IOException {
        findsTheWayAfter(3, (host, port) -> {
            throw new NoClassDefFoundError("the resolver's library");
        });
    }

    /** Where the peer has moved meanwhile, every attempt looks the address up afresh. */
    @Test
    void aChangedAddressIsFollowed() throws IOException {
        findsTheWayAfter(3, (host, port) -> new InetSocketAddress(host, FreePorts.next()));
    }

    /** The machine has no thread left for a look-up, for a while. */
    @Test
    void aLookUpThatGetsNoThreadIsTriedAgain() throws IOException {
        try (Endpoint a = Endpoint.start(config, "a", ports)) {
            ThreadPoolExecutor lookUps = (ThreadPoolExecutor) a.transport.context.lookUps;
            ThreadFactory threads = lookUps.getThreadFactory();
            AtomicInteger refused = new AtomicInteger();
            lookUps.setThreadFactory(task -> {
                refused.incrementAndGet();
                throw new OutOfMemoryError("unable to create native thread");
            });
            lookUps.setCorePoolSize(0);
            lookUps.setKeepAliveTime(1, TimeUnit.NANOSECONDS); // the thread that has looked up is not used again
            Eventually.until("two attempts have got no thread", () -> refused.get() > 1);
            lookUps.setThreadFactory(threads);

            try (Endpoint b = Endpoint.start(config, "b", portsOfB)) {
                a.awaitConnected("b");
                b.awaitConnected("a");
            }
        }
    }

    /** Once a second every connection is asked whether it lives: one that cannot be must not end that for all. */
    @Test
    void anErrorInOneTickDoesNotEndTheTicks() throws IOException {
        try (Endpoint a = Endpoint.start(config, "a", ports);
                Endpoint b = Endpoint.start(config, "b", portsOfB)) {
            a.awaitConnected("b");
            b.awaitConnected("a");
            AtomicInteger asked = new AtomicInteger();
            a.transport.loop().execute(() -> Objects.requireNonNull(
                            a.transport.links.peer(new NodeId("b")).channelForRequests())
                    .config()
                    .setAllocator((ByteBufAllocator) Proxy.newProxyInstance(
                            ByteBufAllocator.class.getClassLoader(),
                            new Class<?>[] {ByteBufAllocator.class},
                            (proxy, method, arguments) -> {
                                if (isForPing()) {
                                    asked.incrementAndGet();
                                    throw new OutOfMemoryError("direct memory");
                                }
                                return method.invoke(ByteBufAllocator.DEFAULT, arguments);
                            })));

            Eventually.until("the tick has come twice", () -> asked.get() > 1);
        }
    }

    private static boolean isForPing() {
        return StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(frame -> frame.getMethodName().equals("ping")));
    }

    /** A name service that answers late finds nobody to tell: that is no fault, and nothing to print. */
    @Test
    void aLookUpThatEndsAfterTheCloseDoesNoHarm() throws IOException, InterruptedException {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        List<Throwable> uncaught = new CopyOnWriteArrayList<>();
        Queue<Thread> lookUps = new ConcurrentLinkedQueue<>();
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, e) -> uncaught.add(e));
        try {
            UnaryOperator<InetSocketAddress> late = address -> {
                lookUps.add(Thread.currentThread());
                asked.countDown();
                awaitUninterruptibly(answer);
                return Endpoint.BY_THE_JDK.apply(address);
            };
            try (Endpoint a = Endpoint.start(config, "a", ports, late)) {
                assertThat(asked.await(10, TimeUnit.SECONDS)).isTrue();
                assertThat(a.state("b").connected()).isFalse();
            }
            answer.countDown();
            lookUps.remove().join(10_000);
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
        assertThat(uncaught).isEmpty();
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException stubborn) {
                // As a name service that does not heed interrupts.
            }
        }
    }

    /** However often the peer comes and goes: one retry at a time, and a pause before each. */
    @Test
    void retriesDoNotMultiply() throws IOException, InterruptedException {
        Semaphore attempts = new Semaphore(0);
        UnaryOperator<InetSocketAddress> counting = address -> {
            attempts.release();
            return Endpoint.BY_THE_JDK.apply(address);
        };
        try (Endpoint a = Endpoint.start(config, "a", ports, counting)) {
            for (int i = 0; i < 50; i++) {
                try (RawConnection b = RawConnection.to(ports.getOrDefault("a", 0))) {
                    b.write(out -> Frames.writeHello(out, Frames.HELLO, Endpoint.hello(config, "b", "a")));
                    a.awaitConnected("b");
                }
                Eventually.until("b is gone", () -> !a.state("b").connected());
            }
            attempts.drainPermits();

            assertThat(attempts.tryAcquire(20, 1_500, TimeUnit.MILLISECONDS))
                    .as("20 attempts in 1.5 s")
                    .isFalse();
        }
    }

    /** A machine that lost its power closed no connection; its next life must not be kept out for long. */
    @Test
    void aPeerThatDiedSilentlyIsReplacedOnceItsConnectionWasSilentForLong() throws IOException {
        try (Endpoint a = Endpoint.start(config, "a", ports);
                RawConnection dead = RawConnection.to(ports.getOrDefault("a", 0))) {
            dead.write(out -> Frames.writeHello(out, Frames.HELLO, Endpoint.hello(config, "b", "a")));
            a.awaitConnected("b");
            try (Endpoint b = Endpoint.start(config, "b", ports)) {
                log.await("peer 'a' refused this node: 'b' is connected already, from 127.0.0.1:");

                b.awaitConnected("a");
                dead.awaitClosed();
            }
        }
    }

    private interface Lookup {
        InetSocketAddress apply(String host, int port);
    }

    private void findsTheWayAfter(int tries, Lookup before) throws IOException {
        AtomicInteger calls = new AtomicInteger();
        UnaryOperator<InetSocketAddress> resolver = address -> calls.incrementAndGet() <= tries
                ? before.apply(address.getHostString(), address.getPort())
                : Endpoint.BY_THE_JDK.apply(address);
        try (Endpoint b = Endpoint.start(config, "b", portsOfB);
                Endpoint a = Endpoint.start(config, "a", ports, resolver)) {
            a.awaitConnected("b");
            b.awaitConnected("a");
            assertThat(calls).hasValueGreaterThan(tries);
        }
    }
}
