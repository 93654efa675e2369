package io.paxoslease.node.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.node.ClockGuard;
import io.paxoslease.node.NodeClock;
import io.paxoslease.node.Threads;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.storage.Content;
import io.paxoslease.protocol.storage.RegisterMessage;
import io.paxoslease.protocol.storage.RegisterMessage.Answer;
import io.paxoslease.protocol.storage.RegisterMessage.CompareAndSet;
import io.paxoslease.protocol.storage.RegisterMessage.Done;
import io.paxoslease.protocol.storage.RegisterMessage.Failed;
import io.paxoslease.protocol.storage.RegisterMessage.Read;
import io.paxoslease.protocol.storage.RegisterMessage.Value;
import io.paxoslease.protocol.storage.RegisterMessage.Write;
import io.paxoslease.store.Register;
import io.paxoslease.testing.Background;
import io.paxoslease.testing.Eventually;
import io.paxoslease.transport.Transport;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RegisterTransportTest {

    private static final int THREADS = 8;
    private static final int MAX_WAITING = 10_000;
    private static final long SECOND = 1_000_000_000;
    private static final Moment LATER = new Moment(SECOND);

    private final GatedRegister register = new GatedRegister();
    private final LinkedBlockingQueue<Answer> answers = new LinkedBlockingQueue<>();
    private volatile Reading now = new Reading(new Moment(0), 0);
    private final NodeClock clock = new NodeClock() {
        @Override
        public Reading read() {
            return now;
        }

        @Override
        public Reading readPair() {
            return now;
        }
    };
    private final RegisterTransport transport =
            new RegisterTransport(register, register, clock, Runnable::run, Threads.daemon("test-store"));

    RegisterTransportTest() {
        transport.open(receiver());
    }

    private Transport.Receiver receiver() {
        return new Transport.Receiver() {
            @Override
            public void received(NodeId from, List<io.paxoslease.protocol.Message> messages) {
                assertThat(from).isEqualTo(RegisterMessage.STORE);
                messages.forEach(message -> answers.add((Answer) message));
            }

            @Override
            public void reachable(NodeId peer) {}

            @Override
            public void unreachable(NodeId peer) {}
        };
    }

    @AfterEach
    void openTheGate() {
        register.gate.countDown();
        transport.close(SECOND);
    }

    @Test
    void anAccessThatGetsNoThreadIsAnsweredAsFailed() throws InterruptedException {
        RegisterTransport without = new RegisterTransport(register, register, clock, Runnable::run, task -> {
            throw new OutOfMemoryError("unable to create native thread");
        });
        without.open(receiver());
        without.send(RegisterMessage.STORE, List.of(new Read("r", false, 1, LATER)));

        assertThat(answers.poll(10, TimeUnit.SECONDS)).isInstanceOf(Failed.class);
    }

    @Test
    void anErrorOfTheRegisterIsAnAnswerToo() throws InterruptedException {
        Register erroneous = new ErroneousRegister();
        RegisterTransport broken = new RegisterTransport(
                erroneous, erroneous, clock, Runnable::run, Threads.daemon("test-store-with-errors"));
        broken.open(receiver());
        broken.send(RegisterMessage.STORE, List.of(new Read("r", false, 1, LATER)));

        assertThat(answers.poll(10, TimeUnit.SECONDS)).isInstanceOf(Failed.class);
    }

    /** As with a driver of which a part is missing. */
    private static final class ErroneousRegister implements Register {

        @Override
        public byte @Nullable [] read(String name) {
            throw new NoClassDefFoundError("of the driver");
        }

        @Override
        public void write(String name, byte[] content) {
            throw new NoClassDefFoundError("of the driver");
        }

        @Override
        public String describe() {
            return "a register with errors";
        }
    }

    private void send(RegisterMessage.Request request) {
        transport.send(RegisterMessage.STORE, List.of(request));
    }

    private Answer answer() throws InterruptedException {
        Answer answer = answers.poll(Eventually.LIMIT.toSeconds(), TimeUnit.SECONDS);
        assertThat(answer).isNotNull();
        return answer;
    }

    @Test
    void whatIsWrittenIsRead() throws InterruptedException {
        register.gate.countDown();
        Content content = Content.of(new byte[] {1, 2});
        send(new Write("r", false, 1, content, LATER));
        assertThat(answer()).isEqualTo(new Done(1, true));
        send(new Read("r", false, 2, LATER));
        assertThat(answer()).isEqualTo(new Value(2, content));
        send(new Read("other", false, 3, LATER));
        assertThat(answer()).isEqualTo(new Value(3, null));
    }

    @Test
    void accessesThatHangHoldUpTheirThreadsAndTheRestFailsWhenItsTimeIsOver() throws InterruptedException {
        IntStream.range(0, THREADS).forEach(i -> send(new Read("r", false, i, LATER)));
        Eventually.until("all threads hang", () -> register.begun.get() == THREADS);
        send(new Write("r", false, 100, Content.of(new byte[1]), new Moment(5)));
        assertThat(answers).isEmpty();
        now = new Reading(new Moment(5), 0);
        register.gate.countDown();
        for (int i = 0; i <= THREADS; i++) {
            Answer answer = answer();
            if (answer.access() == 100) {
                assertThat(answer).isEqualTo(new Failed(100, "it could not be begun in time"));
            }
        }
        assertThat(register.contents).isEmpty();
    }

    @Test
    void moreThanAnyStoreCatchesUpWithFailsAtOnce() throws InterruptedException {
        IntStream.range(0, THREADS + MAX_WAITING).forEach(i -> send(new Read("r", false, i, LATER)));
        assertThat(answers).isEmpty();
        send(new Read("r", false, 99_999, LATER));
        assertThat(answer()).isEqualTo(new Failed(99_999, "too many accesses wait for the store"));
    }

    @Test
    void nothingIsBegunWhileTheClocksDisagree() throws InterruptedException {
        register.gate.countDown();
        transport.guardBy(new ClockGuard(0.1, 10 * SECOND, now, () -> null));
        now = new Reading(new Moment(1), 5_000_000);
        send(new Write("r", false, 1, Content.of(new byte[1]), LATER));
        assertThat(((Failed) answer()).reason()).contains("was suspended");
        assertThat(register.contents).isEmpty();
        now = new Reading(new Moment(1), 0);
        send(new Write("r", false, 2, Content.of(new byte[1]), LATER));
        assertThat(answer()).isEqualTo(new Done(2, true));
    }

    @Test
    void whatTheStoreThrowsIsAFailure() throws InterruptedException {
        register.gate.countDown();
        send(new Read("broken", false, 1, LATER));
        assertThat(((Failed) answer()).reason()).contains("the disk is full");
        send(new Read("buggy", false, 2, LATER));
        assertThat(((Failed) answer()).reason()).contains("a bug");
    }

    @Test
    void compareAndSetIsToldWhatIsExpectedAndTellsWhetherItReplaced() throws InterruptedException {
        register.gate.countDown();
        Content one = Content.of(new byte[] {1});
        Content two = Content.of(new byte[] {2});
        send(new CompareAndSet("r", 1, null, one, LATER));
        assertThat(answer()).isEqualTo(new Done(1, true));
        send(new CompareAndSet("r", 2, null, two, LATER));
        assertThat(answer()).isEqualTo(new Done(2, false));
        send(new CompareAndSet("r", 3, two, two, LATER));
        assertThat(answer()).isEqualTo(new Done(3, false));
        send(new CompareAndSet("r", 4, one, two, LATER));
        assertThat(answer()).isEqualTo(new Done(4, true));
        assertThat(register.contents.get("r")).isEqualTo(two.bytes());
    }

    /** Such as releases. */
    @Test
    void closingWaitsForWhatWasSent() throws InterruptedException, ExecutionException {
        send(new Write("r", false, 1, Content.of(new byte[1]), LATER));
        Background<Boolean> closing = Background.start(() -> {
            transport.close(Eventually.LIMIT.toNanos());
            return register.contents.containsKey("r");
        });
        closing.awaitBlocked();
        register.gate.countDown();
        assertThat(closing.result()).isTrue();
    }

    /** Far sooner than threads that are only idle. */
    @Test
    void theThreadsEndWhenNobodyTakesTheirAnswersAnyMore() throws InterruptedException {
        AtomicReference<@Nullable Thread> made = new AtomicReference<>();
        RegisterTransport left = new RegisterTransport(
                register,
                register,
                clock,
                task -> {
                    throw new RejectedExecutionException("stopped");
                },
                task -> {
                    Thread thread = Threads.daemon("test-left").newThread(task);
                    made.set(thread);
                    return thread;
                });
        left.open(receiver());
        register.gate.countDown();
        left.send(RegisterMessage.STORE, List.of(new Read("r", false, 1, LATER)));
        Thread thread = Objects.requireNonNull(made.get());
        thread.join(5_000);
        assertThat(thread.isAlive()).isFalse();
        left.send(RegisterMessage.STORE, List.of(new Read("r", false, 2, LATER)));
        assertThat(register.begun).hasValue(1);
    }

    @Test
    void answersAfterTheEndAreDropped() throws InterruptedException {
        send(new Read("r", false, 1, LATER));
        Eventually.until("it hangs", () -> register.begun.get() == 1);
        transport.close(1);
        register.gate.countDown();
        Eventually.until("it has ended", () -> register.ended.get() == 1);
        transport.close(Eventually.LIMIT.toNanos());
        send(new Read("r", false, 2, LATER));
        assertThat(answers).isEmpty();
    }

    /** Nothing goes on before the gate is open. */
    private static final class GatedRegister implements Register {

        private final Map<String, byte[]> contents = new ConcurrentHashMap<>();
        private final CountDownLatch gate = new CountDownLatch(1);
        private final AtomicInteger begun = new AtomicInteger();
        private final AtomicInteger ended = new AtomicInteger();

        private void pass() throws IOException {
            begun.incrementAndGet();
            try {
                gate.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            ended.incrementAndGet();
        }

        @Override
        public byte @Nullable [] read(String name) throws IOException {
            pass();
            if (name.equals("broken")) {
                throw new IOException("the disk is full");
            }
            if (name.equals("buggy")) {
                throw new IllegalStateException("a bug");
            }
            return contents.get(name);
        }

        @Override
        public void write(String name, byte[] content) throws IOException {
            pass();
            contents.put(name, content);
        }

        @Override
        public boolean comparesAndSets() {
            return true;
        }

        @Override
        public boolean compareAndSet(String name, byte @Nullable [] expected, byte[] content) throws IOException {
            pass();
            boolean replaces = Arrays.equals(contents.get(name), expected);
            if (replaces) {
                contents.put(name, content);
            }
            return replaces;
        }

        @Override
        public String describe() {
            return "a gate";
        }
    }
}
