package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.election.GuardedWork;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/** Signals between a source and a subscriber that nothing else stands between. */
class GuardedPublisherTest {

    private final StubbedElections elections = new StubbedElections();
    private final Queue<String> received = new ConcurrentLinkedQueue<>();

    @AfterEach
    void stop() {
        elections.stop();
    }

    /** Makes the next signal within the last one, as soon as it is asked to, and completes. */
    private static void count(Subscriber<Object> subscriber) {
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

    private final class Counting implements GuardedPublisher.Subject {

        @Override
        public Optional<GuardedWork> begin(Runnable onEnd) {
            return elections.begin("leader", onEnd);
        }

        @Override
        public void subscribe(Subscriber<Object> subscriber) {
            count(subscriber);
        }

        @Override
        public @Nullable RuntimeException refusal() {
            return null;
        }

        @Override
        public RuntimeException ended() {
            return new IllegalStateException("ended");
        }

        @Override
        public void left(GuardedWork work, boolean finished) {
            received.add("left");
        }
    }

    @Test
    void anElementWithinAnotherIsNotLost() {
        elections.lead("leader");
        new GuardedPublisher(new Counting()).subscribe(new Subscriber<>() {
            private @Nullable Subscription subscription;

            @Override
            public void onSubscribe(Subscription given) {
                subscription = given;
                given.request(1);
            }

            @Override
            public void onNext(Object element) {
                received.add("begin " + element);
                Objects.requireNonNull(subscription).request(1);
                received.add("end " + element);
            }

            @Override
            public void onError(Throwable failure) {
                received.add(failure.toString());
            }

            @Override
            public void onComplete() {
                received.add("complete");
            }
        });
        assertThat(received)
                .containsExactly("begin 1", "begin 2", "begin 3", "end 3", "end 2", "end 1", "left", "complete");
    }
}
