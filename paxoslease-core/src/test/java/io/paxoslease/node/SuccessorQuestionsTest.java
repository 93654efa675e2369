package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.paxoslease.HandOverException;
import io.paxoslease.Lease;
import io.paxoslease.Nomination;
import io.paxoslease.PaxosLeaseException;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What a caller is told of a node that is to be the next holder, when nothing or no majority answers. */
class SuccessorQuestionsTest {

    /** Time passes at once while somebody waits. */
    private static final class HastyClock implements NodeClock {

        final AtomicLong waited = new AtomicLong();
        Runnable meanwhile = () -> {};
        private final HandClock hands = new HandClock();

        @Override
        public Reading read() {
            return hands.read();
        }

        @Override
        public boolean await(long nanos, Threads.Wait wait) throws InterruptedException {
            meanwhile.run();
            boolean done = wait.await(0);
            waited.addAndGet(done ? 0 : nanos);
            return done;
        }
    }

    private static final NodeId B = new NodeId("b");
    private static final Map<String, Object> ANSWERS = Map.of("resource", "role:x", "fencingToken", 7L, "isHeld", true);

    private final HastyClock clock = new HastyClock();
    private final NodeByHand node = new NodeByHand(clock);
    private final SuccessorQuestions questions = new SuccessorQuestions(node, true);
    private final Lease lease = (Lease) Proxy.newProxyInstance(
            Lease.class.getClassLoader(),
            new Class<?>[] {Lease.class},
            (proxy, method, arguments) -> Objects.requireNonNull(ANSWERS.get(method.getName()), method.getName()));

    @Test
    void aCallerThatTheNodeDoesNotAnswerIsNotToldOfAMissingMajority() {
        assertThatExceptionOfType(PaxosLeaseException.class)
                .isThrownBy(() -> questions.nominateOrRefuse(lease, "b"))
                .isNotInstanceOf(HandOverException.class)
                .withMessageContaining("does not answer")
                .withMessageContaining("another thread");
        assertThat(clock.waited).hasValue(Duration.ofSeconds(5).toNanos());
    }

    @Test
    void anAnswerWithoutAMajorityIsToldAsSuch() {
        clock.meanwhile = () -> questions.answer(new Effect.Nominated(1, false, List.of()));
        assertThatExceptionOfType(HandOverException.class)
                .isThrownBy(() -> questions.nominateOrRefuse(lease, "b"))
                .satisfies(refused -> assertThat(refused.nomination()).isEqualTo(Nomination.NO_MAJORITY));
    }

    /** A node that is stopped while another thread asks. */
    private final class Stopping implements RunningNode {

        final AtomicLong ids = new AtomicLong();
        volatile Runnable submitted = () -> {};
        volatile boolean over;

        @Override
        public String nodeId() {
            return "n";
        }

        @Override
        public long nextId() {
            return ids.incrementAndGet();
        }

        @Override
        public void submit(Event event) {
            submitted.run();
        }

        @Override
        public boolean execute(Runnable task) {
            return false;
        }

        @Override
        public boolean isOver() {
            return over;
        }

        @Override
        public CallbackRunner callbacks() {
            return node.callbacks();
        }

        @Override
        public NodeClock clock() {
            return clock;
        }
    }

    /** The other thread asks after the stop has begun to answer, and looks whether the node is over after the stop has done so. */
    @Test
    void aQuestionThatIsAskedWhileTheNodeStopsIsAnswered() throws Exception {
        Stopping stopping = new Stopping();
        SuccessorQuestions asked = new SuccessorQuestions(stopping, true);
        CountDownLatch isOpen = new CountDownLatch(1);
        CountDownLatch hasStopped = new CountDownLatch(1);
        CompletableFuture<CompletableFuture<Nomination>> second = new CompletableFuture<>();
        Thread other = new Thread(() -> second.complete(asked.nominate(lease, B, SuccessorQuestions.LONGEST)));
        CompletableFuture<?> unused = asked.nominate(lease, B, SuccessorQuestions.LONGEST)
                .thenRun(() -> {
                    stopping.submitted = () -> {
                        isOpen.countDown();
                        await(hasStopped);
                    };
                    other.start();
                    await(isOpen);
                });
        stopping.over = true;
        asked.end();
        hasStopped.countDown();
        other.join();

        assertThat(second.get()).isCompletedWithValue(Nomination.NO_MAJORITY);
        assertThat(unused).isCompleted();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aMissingNameIsNamed() {
        assertThatNullPointerException()
                .isThrownBy(() -> SuccessorQuestions.check(missing(), "n"))
                .withMessage("nodeId");
    }

    @SuppressWarnings("NullAway") // what a caller without null checks passes
    private static String missing() {
        return null;
    }
}
