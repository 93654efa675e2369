package io.paxoslease.spring.leader;

import io.paxoslease.election.GuardedWork;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/**
 * What an {@link OnLeader} method publishes: each subscription asks anew whether this node leads. If so, it calls the method and subscribes
 * to its result; when leadership ends, it cancels that and fails. Needs Reactive Streams on the class path.
 */
final class GuardedPublisher implements Publisher<Object> {

    private final Subject subject;

    /** The call whose result is published, of one method. */
    interface Subject {

        /** Empty if this node does not lead. */
        Optional<GuardedWork> begin(Runnable onEnd);

        /** Calls the method, and subscribes to its result. */
        void subscribe(Subscriber<Object> subscriber) throws Throwable;

        /** What a subscriber on a node that does not lead is told; null: that there is nothing. */
        @Nullable
        RuntimeException refusal();

        /** What a subscriber is told when leadership has ended. */
        RuntimeException ended();

        /** It has begun, and is over. */
        void left(GuardedWork work, boolean finished);
    }

    GuardedPublisher(Subject subject) {
        this.subject = subject;
    }

    @Override
    public void subscribe(Subscriber<? super Object> subscriber) {
        Relay relay = new Relay(subject, subscriber);
        subscriber.onSubscribe(relay);
        relay.begin();
    }

    /** One subscription. Signals come one after the other, whoever ends it. */
    private static final class Relay implements Subscriber<Object>, Subscription {

        private static final int ENDED = 1 << 30;
        private static final Subscription CANCELLED = new Subscription() {
            @Override
            public void request(long n) {}

            @Override
            public void cancel() {}
        };

        /**
         * How it ends.
         *
         * @param failure null: it is complete, or cancelled
         * @param silent whether the subscriber is not told, as it has cancelled
         */
        private record End(@Nullable Throwable failure, boolean silent) {}

        private final Subject subject;
        private final Subscriber<? super Object> subscriber;
        private final AtomicReference<@Nullable Subscription> source = new AtomicReference<>();
        /** Before there is a source. */
        private final AtomicLong requested = new AtomicLong();

        private final AtomicReference<@Nullable End> end = new AtomicReference<>();
        private final AtomicReference<@Nullable GuardedWork> guarded = new AtomicReference<>();
        /** How many calls of the subscriber are under way, one within the other, and whether the last signal waits or was made. */
        private final AtomicInteger signals = new AtomicInteger();

        Relay(Subject subject, Subscriber<? super Object> subscriber) {
            this.subject = subject;
            this.subscriber = subscriber;
        }

        void begin() {
            if (end.get() != null) {
                return;
            }
            GuardedWork work =
                    subject.begin(() -> finish(new End(subject.ended(), false))).orElse(null);
            if (work == null) {
                finish(new End(subject.refusal(), false));
                return;
            }
            guarded.set(work);
            if (end.get() != null) { // meanwhile; nobody else has seen the work
                leave();
                return;
            }
            try {
                subject.subscribe(this);
            } catch (Throwable failure) { // of the method, which may throw anything
                finish(new End(failure, false));
            }
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            if (!source.compareAndSet(null, subscription)) {
                subscription.cancel();
            } else {
                requestWhatWaits(subscription);
            }
        }

        @Override
        public void request(long n) {
            Subscription known = source.get();
            if (known != null) {
                known.request(n);
            } else if (n <= 0) {
                finish(new End(new IllegalArgumentException("Request at least one element, not " + n), false));
            } else {
                requested.accumulateAndGet(n, (before, more) -> before + more < 0 ? Long.MAX_VALUE : before + more);
                Subscription since = source.get();
                if (since != null) {
                    requestWhatWaits(since);
                }
            }
        }

        private void requestWhatWaits(Subscription subscription) {
            long waiting = requested.getAndSet(0);
            if (waiting > 0) {
                subscription.request(waiting);
            }
        }

        /** The source makes one signal at a time, but may make the next one while the subscriber requests it, within the last one. */
        @Override
        public void onNext(Object element) {
            if (signals.getAndUpdate(now -> now < ENDED ? now + 1 : now) >= ENDED) {
                return;
            }
            try {
                subscriber.onNext(element);
            } finally {
                if (signals.decrementAndGet() == ENDED) {
                    signalEnd();
                }
            }
        }

        @Override
        public void onError(Throwable failure) {
            finish(new End(failure, false));
        }

        @Override
        public void onComplete() {
            finish(new End(null, false));
        }

        @Override
        public void cancel() {
            finish(new End(null, true));
        }

        private void finish(End how) {
            if (!end.compareAndSet(null, how)) {
                return;
            }
            try {
                Subscription known = source.getAndSet(CANCELLED);
                if (known != null) {
                    known.cancel(); // does nothing once the source has ended
                }
            } finally {
                leave();
                if (signals.getAndAdd(ENDED) == 0) {
                    signalEnd();
                }
            }
        }

        private void leave() {
            GuardedWork work = guarded.getAndSet(null);
            End how = end.get();
            if (work != null) {
                work.close();
                subject.left(work, how != null && !how.silent() && how.failure() == null);
            }
        }

        private void signalEnd() {
            End how = end.get();
            if (how == null || how.silent()) {
                return;
            }
            if (how.failure() == null) {
                subscriber.onComplete();
            } else {
                subscriber.onError(how.failure());
            }
        }
    }
}
