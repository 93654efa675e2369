package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.paxoslease.election.LeaderElection;
import io.paxoslease.election.Leadership;
import io.paxoslease.election.NotLeaderException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;
import reactor.core.publisher.Sinks;

/** Work that goes on after the call of the method. */
@ExtendWith(OutputCaptureExtension.class)
class OnLeaderAsyncTest {

    private final StubbedElections elections = new StubbedElections();
    private final AnnotationConfigApplicationContext context = elections.context(Jobs.class);
    private Jobs jobs = new Jobs();

    @BeforeEach
    void start() {
        context.refresh();
        jobs = context.getBean(Jobs.class);
    }

    @AfterEach
    void stop() {
        context.close();
        elections.stop();
    }

    /** As Spring does with a scheduled method: it is called once, and its result subscribed to again and again. */
    @Test
    void eachSubscriptionAsksAnewWhetherThisNodeLeads() {
        Mono<String> once = jobs.mono();
        assertThat(once.block()).isNull();
        LeaderElection election = elections.lead("leader");
        assertThat(once.block()).isEqualTo("leader 1");
        assertThat(once.block()).isEqualTo("leader 2");
        election.resign();
        assertThat(once.block()).isNull();
        assertThat(elections.calls).containsExactly("refused", "undisturbed", "undisturbed", "refused");
    }

    @Test
    void aScheduledPublisherRunsOnceThisNodeLeads() throws Exception {
        try (AnnotationConfigApplicationContext scheduled = elections.context(Ticks.class, Scheduling.class)) {
            scheduled.refresh();
            await().until(() -> elections.calls.contains("refused"));
            CountDownLatch ran = scheduled.getBean(Ticks.class).ran();
            assertThat(ran.getCount()).isEqualTo(3);
            elections.lead("leader");
            assertThat(ran.await(10, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void theEndOfLeadershipCancelsWhatWasSubscribedTo() {
        LeaderElection election = elections.lead("leader");
        CompletableFuture<List<String>> received =
                jobs.flux().takeUntil("never"::equals).collectList().toFuture();
        jobs.source().tryEmitNext("a");
        assertThat(jobs.source().currentSubscriberCount()).isEqualTo(1);

        election.resign();

        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(received::join)
                .havingCause()
                .isInstanceOf(NotLeaderException.class)
                .withMessage("Jobs.flux() was cancelled, because this node's leadership of 'leader' has ended");
        assertThat(jobs.source().currentSubscriberCount()).isZero();
        assertThat(elections.calls).containsExactly("interrupted");
    }

    @Test
    void aLostLeaseCancelsToo() {
        elections.lead("leader");
        CompletableFuture<List<String>> received = jobs.flux().collectList().toFuture();
        elections.loseEverything();
        assertThat(received)
                .failsWithin(10, TimeUnit.SECONDS)
                .withThrowableThat()
                .withCauseInstanceOf(NotLeaderException.class);
    }

    /** As after a suspend: the lease has ended, and the election has not been able to say so. */
    @Test
    void anElementAfterTheLeaseIsNotDelivered() {
        elections.lead("leader");
        CountDownLatch told = new CountDownLatch(1);
        assertThat(elections.begin("leader", () -> awaitQuietly(told)))
                .as("cancelled before the subscription")
                .isPresent();
        List<String> received = new CopyOnWriteArrayList<>();
        CompletableFuture<List<String>> all =
                jobs.flux().doOnNext(received::add).collectList().toFuture();
        jobs.source().tryEmitNext("in time");
        elections.loseEverything();
        jobs.source().tryEmitNext("late");
        assertThat(received).containsExactly("in time");
        assertThat(all)
                .failsWithin(10, TimeUnit.SECONDS)
                .withThrowableThat()
                .withCauseInstanceOf(NotLeaderException.class);
        told.countDown();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void theSourceOfOneElementIsNotCancelled() {
        elections.lead("leader");
        Queue<SignalType> ends = new ConcurrentLinkedQueue<>();
        assertThat(jobs.ending(ends).block()).isEqualTo("done");
        assertThat(ends).containsExactly(SignalType.ON_COMPLETE);
        assertThat(elections.calls).containsExactly("undisturbed");
    }

    @Test
    void aSubscriberThatCancelsEndsTheWork() {
        LeaderElection election = elections.lead("leader");
        jobs.flux().subscribe().dispose();
        assertThat(jobs.source().currentSubscriberCount()).isZero();
        assertThat(elections.calls).containsExactly("undisturbed");
        election.stop(Duration.ofSeconds(10));
        assertThat(elections.calls).hasSize(1);
    }

    @Test
    void theWorkCountsUntilItsSourceIsCancelledAndTheSubscriberIsToldAfterwards() {
        LeaderElection election = elections.lead("leader");
        Queue<String> order = new ConcurrentLinkedQueue<>();
        jobs.publisher(observed(order)).subscribe(new BaseSubscriber<>() {
            @Override
            protected void hookOnError(Throwable failure) {
                order.add("told after " + elections.calls);
            }
        });
        election.resign();
        await().untilAsserted(
                        () -> assertThat(order).containsExactly("cancelled after []", "told after [interrupted]"));
    }

    @Test
    void theWorkCountsUntilItsSourceIsCancelledThoughItsSubscriberCancels() {
        elections.lead("leader");
        Queue<String> order = new ConcurrentLinkedQueue<>();
        Flux.from(jobs.publisher(observed(order))).subscribe().dispose();
        assertThat(order).containsExactly("cancelled after []");
        assertThat(elections.calls).containsExactly("undisturbed");
    }

    private Publisher<Integer> observed(Queue<String> order) {
        return Flux.<Integer>never().doOnCancel(() -> order.add("cancelled after " + elections.calls));
    }

    @Test
    void aSourceThatFailsToBeCancelledHoldsUpNothing() {
        LeaderElection election = elections.lead("leader");
        CompletableFuture<Integer> last = Flux.from(jobs.publisher(OnLeaderAsyncTest::neverCancelled))
                .last()
                .toFuture();
        Flux.from(jobs.publisher(OnLeaderAsyncTest::neverCancelled)).subscribe().dispose();
        assertThat(elections.calls).containsExactly("undisturbed");
        election.resign();
        assertThat(last)
                .failsWithin(10, TimeUnit.SECONDS)
                .withThrowableThat()
                .withCauseInstanceOf(NotLeaderException.class);
        assertThat(elections.calls).containsExactly("undisturbed", "interrupted");
    }

    private static void neverCancelled(Subscriber<? super Integer> subscriber) {
        subscriber.onSubscribe(new Subscription() {
            @Override
            public void request(long n) {}

            @Override
            public void cancel() {
                throw new IllegalStateException("It goes on");
            }
        });
    }

    @Test
    void aSourceThatComesAfterTheEndIsCancelled() {
        LeaderElection election = elections.lead("leader");
        Queue<String> signals = new ConcurrentLinkedQueue<>();
        jobs.fluxAfter(() -> {
                    election.resign();
                    await().until(() -> !signals.isEmpty());
                })
                .subscribe(
                        element -> {}, failure -> signals.add(failure.getClass().getSimpleName()));
        assertThat(signals).containsExactly("NotLeaderException");
        assertThat(jobs.source().currentSubscriberCount()).isZero();
        assertThat(elections.calls).containsExactly("interrupted");
    }

    @Test
    void aSubscriberHasItsSubscriptionBeforeTheWorkBegins() {
        LeaderElection election = elections.lead("leader");
        Queue<String> signals = new ConcurrentLinkedQueue<>();
        jobs.flux().subscribe(new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                election.stop(Duration.ofSeconds(10));
                signals.add("subscribed");
            }

            @Override
            protected void hookFinally(SignalType type) {
                signals.add(type.toString());
            }
        });
        assertThat(signals).containsExactly("subscribed", "onComplete");
        assertThat(elections.calls).containsExactly("refused");
    }

    @Test
    void aFailureToSubscribeReachesTheSubscriber() {
        elections.lead("leader");
        Publisher<Integer> broken = subscriber -> {
            throw new NoClassDefFoundError("broken");
        };
        assertThatExceptionOfType(NoClassDefFoundError.class)
                .isThrownBy(Flux.from(jobs.publisher(broken))::blockLast)
                .withMessage("broken");
        assertThat(elections.calls).containsExactly("undisturbed");
    }

    @Test
    void aSubscriptionMayFailInsteadOfBeingEmpty() {
        assertThatExceptionOfType(NotLeaderException.class)
                .isThrownBy(jobs.orFail()::block)
                .withMessage("Jobs.orFail() is for the leader of 'leader' only, and this node does not lead it");
        elections.lead("leader");
        assertThat(jobs.orFail().block()).isEqualTo("done");
    }

    @Test
    void aFailureOfTheMethodReachesTheSubscriber() {
        elections.lead("leader");
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(jobs.broken()::block)
                .withMessage("broken");
        assertThat(elections.calls).containsExactly("undisturbed");
    }

    @Test
    void aFlowPublisherIsGuardedToo() {
        Flow.Publisher<String> flow = jobs.flow();
        assertThat(JdkFlowAdapter.flowPublisherToFlux(flow).collectList().block())
                .isEmpty();
        elections.lead("leader");
        assertThat(JdkFlowAdapter.flowPublisherToFlux(flow).collectList().block())
                .containsExactly("a");
    }

    /** The end comes from another thread while an element is being delivered. */
    @Test
    void signalsComeOneAfterTheOther() {
        LeaderElection election = elections.lead("leader");
        Queue<String> signals = new ConcurrentLinkedQueue<>();
        jobs.flux().subscribe(new BaseSubscriber<>() {
            @Override
            protected void hookOnNext(String element) {
                Thread end = new Thread(election::resign);
                end.start();
                await().until(() -> elections.calls.contains("interrupted"));
                signals.add("next " + element);
            }

            @Override
            protected void hookOnError(Throwable failure) {
                signals.add(failure.getClass().getSimpleName());
            }
        });
        jobs.source().tryEmitNext("a");
        await().untilAsserted(() -> assertThat(signals).containsExactly("next a", "NotLeaderException"));
    }

    /** The source makes the next signal within the last one, as soon as it is asked to, and completes. */
    @Test
    void anElementWithinAnotherIsNotLost() {
        elections.lead("leader");
        Queue<String> signals = new ConcurrentLinkedQueue<>();
        jobs.publisher(OnLeaderAsyncTest::count).subscribe(new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                subscription.request(1);
            }

            @Override
            protected void hookOnNext(Integer element) {
                signals.add("begin " + element);
                request(1);
                signals.add("end " + element);
            }

            @Override
            protected void hookOnComplete() {
                signals.add("complete after " + elections.calls);
            }
        });
        assertThat(signals)
                .containsExactly(
                        "begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3", "complete after [undisturbed]");
    }

    private static void count(Subscriber<? super Integer> subscriber) {
        subscriber.onSubscribe(new Subscription() {
            private int last;

            @Override
            public void request(long n) {
                last++;
                if (last <= 3) {
                    boolean isFirst = last == 1;
                    subscriber.onNext(last);
                    if (isFirst) {
                        subscriber.onComplete();
                    }
                }
            }

            @Override
            public void cancel() {}
        });
    }

    @Test
    void noMoreIsRequestedThanAskedFor() {
        elections.lead("leader");
        Queue<Integer> received = new ConcurrentLinkedQueue<>();
        BaseSubscriber<Integer> subscriber = new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                subscription.request(2);
            }

            @Override
            protected void hookOnNext(Integer element) {
                received.add(element);
            }
        };
        jobs.numbers().subscribe(subscriber);
        assertThat(received).containsExactly(1, 2);
        subscriber.request(1);
        assertThat(received).containsExactly(1, 2, 3);
        subscriber.cancel();
    }

    @Test
    void aFutureThatIsNotDoneFailsAtTheEndOfLeadershipAndItsWorkIsCancelled() {
        LeaderElection election = elections.lead("leader");
        CompletableFuture<String> future = jobs.future();
        assertThat(future).isNotDone();

        election.resign();

        assertThat(future)
                .failsWithin(10, TimeUnit.SECONDS)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(NotLeaderException.class)
                .withMessage("Jobs.future() was cancelled, because this node's leadership of 'leader' has ended");
        await().until(jobs.pending()::isCancelled);
    }

    @Test
    void aFutureOfAnEarlierLeadershipIsCancelledThoughThisNodeLeadsAgain() {
        LeaderElection first = elections.lead("leader");
        CompletableFuture<String> future = jobs.futureAfter(() -> {
            first.stop(Duration.ofSeconds(10));
            elections.lead("leader");
        });
        assertThat(future)
                .failsWithin(10, TimeUnit.SECONDS)
                .withThrowableThat()
                .withCauseInstanceOf(NotLeaderException.class);
        assertThat(jobs.pending()).isCancelled();
    }

    @Test
    void aFutureThatCompletesInTimeIsAsItWas(CapturedOutput output) {
        elections.lead("leader");
        CompletableFuture<String> future = jobs.future();
        jobs.pending().complete("done");
        assertThat(future).isCompletedWithValue("done");
        assertThat(elections.calls).containsExactly("undisturbed", "undisturbed");
        assertThat(output).doesNotContain("finished after its leadership");
    }

    @Test
    void aCallerMayCancelTheFuture() {
        elections.lead("leader");
        jobs.future().cancel(true);
        assertThat(jobs.pending()).isCancelled();
    }

    @Test
    void aSkippedCallReturnsEmptyCollections() {
        assertThat(jobs.list()).isEmpty();
        assertThat(jobs.set()).isEmpty();
        assertThat(jobs.map()).isEmpty();
        assertThat(jobs.stream()).isEmpty();
        assertThat(jobs.stream()).as("a second one").isEmpty();
        elections.lead("leader");
        assertThat(jobs.list()).containsExactly("a");
    }

    static class Jobs {

        private final Sinks.Many<String> source = Sinks.many().multicast().directBestEffort();
        private final CompletableFuture<String> pending = new CompletableFuture<>();
        private final AtomicInteger runs = new AtomicInteger();

        Sinks.Many<String> source() {
            return source;
        }

        CompletableFuture<String> pending() {
            return pending;
        }

        @OnLeader
        CompletableFuture<String> futureAfter(Runnable work) {
            work.run();
            return pending;
        }

        @OnLeader
        Mono<String> mono() {
            return Mono.just(Leadership.current().role() + " " + runs.incrementAndGet());
        }

        @OnLeader
        Mono<String> ending(Queue<SignalType> ends) {
            return Mono.just("done").doFinally(ends::add);
        }

        @OnLeader
        Flux<String> flux() {
            return source.asFlux();
        }

        @OnLeader
        Flux<String> fluxAfter(Runnable work) {
            work.run();
            return source.asFlux();
        }

        @OnLeader
        Publisher<Integer> publisher(Publisher<Integer> result) {
            return result;
        }

        @OnLeader
        Flux<Integer> numbers() {
            return Flux.range(1, 100);
        }

        @OnLeader(otherwise = OnLeader.Otherwise.FAIL)
        Mono<String> orFail() {
            return Mono.just("done");
        }

        @OnLeader
        Mono<String> broken() {
            throw new IllegalStateException("broken");
        }

        @OnLeader
        Flow.Publisher<String> flow() {
            return JdkFlowAdapter.publisherToFlowPublisher(Flux.just("a"));
        }

        @OnLeader
        CompletableFuture<String> future() {
            return pending;
        }

        @OnLeader
        List<String> list() {
            return List.of("a");
        }

        @OnLeader
        Set<String> set() {
            return Set.of("a");
        }

        @OnLeader
        Map<String, String> map() {
            return Map.of("a", "b");
        }

        @OnLeader
        Stream<String> stream() {
            return Stream.of("a");
        }
    }

    static class Ticks {

        private final CountDownLatch ran = new CountDownLatch(3);

        CountDownLatch ran() {
            return ran;
        }

        @OnLeader
        @Scheduled(fixedDelay = 1)
        Mono<Void> tick() {
            return Mono.fromRunnable(ran::countDown);
        }
    }

    @EnableScheduling
    static class Scheduling {}
}
