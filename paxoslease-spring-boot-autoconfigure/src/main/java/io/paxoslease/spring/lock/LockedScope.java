package io.paxoslease.spring.lock;

import io.paxoslease.Lease;
import io.paxoslease.LeaseLostException;
import io.paxoslease.locks.LeaseLock;
import io.paxoslease.protocol.Printable;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** The lock, or the permit, of {@link Locked} calls, from its grant to the end of the call or of its transaction. Of one thread. */
abstract class LockedScope implements LockedCall, AutoCloseable {

    private static final ThreadLocal<@Nullable LockedScope> current = new ThreadLocal<>();

    private final String key;
    private boolean outlastsCalls;

    LockedScope(String key) {
        this.key = key;
    }

    static @Nullable LockedScope current() {
        return current.get();
    }

    /** Makes one call, which has this hold as its {@link LockedCall#current()}. */
    final @Nullable Object proceed(MethodInvocation invocation) throws Throwable {
        LockedScope outer = current.get();
        current.set(this);
        try {
            return invocation.proceed();
        } finally {
            if (outer == null) {
                current.remove();
            } else {
                current.set(outer);
            }
        }
    }

    /** From now on the end of a call does not release it. */
    final void outlastCalls() {
        outlastsCalls = true;
    }

    @Override
    public final String key() {
        return key;
    }

    @Override
    public final void check() {
        if (!isHeld()) {
            throw lost();
        }
    }

    final LeaseLostException lost() {
        return new LeaseLostException(
                "The lease of the @Locked call with the key %s ended while it ran; another holder may have run since. Compare fencing tokens where it writes"
                        .formatted(Printable.name(key)));
    }

    /** Ends a call; throws {@link LeaseLostException} if the lease was lost. */
    @Override
    public final void close() {
        if (outlastsCalls) {
            check();
        } else {
            release();
        }
    }

    /** Throws {@link LeaseLostException} if the lease was lost. */
    abstract void release();

    /** Of a lock that the thread has just locked. */
    static final class OfLock extends LockedScope {

        private final LeaseLock lock;

        OfLock(LeaseLock lock) {
            super(lock.key());
            this.lock = lock;
        }

        @Override
        public long fencingToken() {
            return lock.fencingToken();
        }

        @Override
        public boolean isHeld() {
            return lock.isHeldByCurrentThread();
        }

        @Override
        public Duration remaining() {
            return lock.remaining();
        }

        @Override
        public void onLost(Runnable code) {
            lock.onLost(code);
        }

        @Override
        void release() {
            lock.unlock();
        }
    }

    /** Of a permit of a semaphore. */
    static final class OfPermit extends LockedScope {

        private final Lease permit;
        private final AtomicBoolean over = new AtomicBoolean();

        OfPermit(String key, Lease permit) {
            super(key);
            this.permit = permit;
        }

        @Override
        public long fencingToken() {
            return permit.fencingToken();
        }

        @Override
        public boolean isHeld() {
            return permit.isHeld();
        }

        @Override
        public Duration remaining() {
            return permit.remaining();
        }

        @Override
        public void onLost(Runnable code) {
            permit.onLost((lease, reason) -> {
                if (!over.get()) {
                    code.run();
                }
            });
        }

        @Override
        void release() {
            over.set(true);
            boolean held = permit.isHeld();
            permit.release();
            if (!held) {
                throw lost();
            }
        }
    }
}
