package io.paxoslease.locks;

import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The states of the locks of one node, by key. There is no limit to locks in use; once there are {@value #MANY}, each new one looks
 * at a few of the others and forgets those that are not in use. So a new key costs the same however many there are, and what is
 * kept is bounded by what is in use. Thread-safe.
 */
final class LockStates {

    private static final int MANY = 100_000;
    /** Of any number in use, at most a third as many that are not are kept beside them. */
    private static final int LOOKED_AT = 4;

    private final ConcurrentHashMap<String, LockState> byKey = new ConcurrentHashMap<>();
    /** Those of the map, some that are retired, and not one that a thread is looking at: the next to be looked at first. */
    private final Queue<LockState> toLookAt = new ConcurrentLinkedQueue<>();

    private final Function<String, LockState> factory;

    LockStates(Function<String, LockState> factory) {
        this.factory = factory;
    }

    /** The state of that key: there is one that is not retired at most, and it is this until it is retired, too. */
    LockState get(String key) {
        LockState state = byKey.get(key);
        while (state == null || state.isRetired()) {
            state = renewed(key, state);
        }
        return state;
    }

    /** @param retired what the map has for the key; null: nothing */
    private LockState renewed(String key, @Nullable LockState retired) {
        LockState fresh = factory.apply(key);
        if (retired != null) {
            byKey.remove(key, retired);
        }
        LockState other = byKey.putIfAbsent(key, fresh);
        if (other != null) {
            return other;
        }
        if (byKey.size() > MANY) {
            lookAtSome();
        }
        toLookAt.add(fresh);
        return fresh;
    }

    private void lookAtSome() {
        for (int i = 0; i < LOOKED_AT; i++) {
            LockState next = toLookAt.poll();
            if (next == null) {
                return;
            }
            if (next.retire(0)) {
                byKey.remove(next.key(), next);
            } else {
                toLookAt.add(next);
            }
        }
    }

    /** Forgets those that no thread has used for so long. */
    void expireUnusedFor(long nanos) {
        byKey.forEach((key, state) -> {
            if (state.retire(nanos)) {
                byKey.remove(key, state);
            }
        });
        toLookAt.removeIf(LockState::isRetired);
    }
}
