package io.paxoslease.node;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.watch.WatchedResource;
import io.paxoslease.watch.LeaseWatch;
import io.paxoslease.watch.LeaseWatchListener;
import io.paxoslease.watch.WatchedLease;
import io.paxoslease.watch.WatchedLease.State;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One prefix that users of a node watch, and what is known of it. Thread-safe. */
final class PrefixWatch {

    private final String prefix;
    private final Consumer<PrefixWatch> ending;
    private final List<Watcher> watchers = new ArrayList<>();
    private final Map<String, WatchedLease> leases = new HashMap<>();
    private @Nullable CallbackRunner callbacks;
    private boolean current;
    /** It has not been told all since it was made, or the node was started: what changes besides means nothing yet. */
    private boolean fresh = true;

    /** @param ending is told when a user closes it */
    PrefixWatch(String prefix, Consumer<PrefixWatch> ending) {
        this.prefix = prefix;
        this.ending = ending;
    }

    String prefix() {
        return prefix;
    }

    /** What is known is told by {@link #wake}. */
    synchronized LeaseWatch add(LeaseWatchListener listener, @Nullable CallbackRunner runner) {
        Watcher watcher = new Watcher(Objects.requireNonNull(listener, "listener"));
        callbacks = runner;
        watchers.add(watcher);
        leases.values().forEach(lease -> watcher.add(lease, true));
        return watcher;
    }

    synchronized boolean isUnused() {
        return watchers.isEmpty();
    }

    synchronized void restart(CallbackRunner runner) {
        callbacks = runner;
        fresh = true;
    }

    void stalled() {
        synchronized (this) {
            current = false;
        }
        wake();
    }

    void apply(Effect.Watched told) {
        synchronized (this) {
            fresh &= !told.all();
            Set<String> gone = new HashSet<>(told.all() ? leases.keySet() : Set.of());
            for (WatchedResource each : fresh ? List.<WatchedResource>of() : told.changes()) {
                gone.remove(each.resource());
                keep(lease(each));
            }
            gone.forEach(resource -> keep(new WatchedLease(resource, State.FREE, null, null)));
            current = told.current() && !fresh;
        }
        wake();
    }

    /** Tells the listeners what they have not been told. Without a lock: an executor may run them at once. */
    void wake() {
        List<Watcher> all;
        synchronized (this) {
            all = List.copyOf(watchers);
        }
        all.forEach(Watcher::wake);
    }

    private void keep(WatchedLease lease) {
        WatchedLease before =
                lease.state() == State.FREE ? leases.remove(lease.resource()) : leases.put(lease.resource(), lease);
        if (!lease.equals(before)) {
            watchers.forEach(watcher -> watcher.add(lease, before == null));
        }
    }

    private static WatchedLease lease(WatchedResource told) {
        String owner = told.owner() == null ? null : told.owner().name();
        String note = told.note().isEmpty() ? null : told.note();
        return new WatchedLease(told.resource(), State.valueOf(told.state().name()), owner, note);
    }

    /** One user's watch, and what is yet to be told of. */
    private final class Watcher implements LeaseWatch {

        private final LeaseWatchListener listener;
        /** Of the library: it is told at once, and looks at what is known by itself. */
        private final boolean prompt;

        private final Map<String, WatchedLease> untold = new HashMap<>();
        /** Those of them that it has never been told of. */
        private final Set<String> appeared = new HashSet<>();

        private boolean toldCurrent;
        /** A thread tells, or is about to. */
        private boolean telling;

        private boolean closed;

        Watcher(LeaseWatchListener listener) {
            this.listener = listener;
            this.prompt = listener instanceof PromptListener;
        }

        /**
         * With the lock. What has come and gone while the listener was busy is not told: so nothing grows with the number of names.
         *
         * @param isNew whether nothing was known of the lease
         */
        void add(WatchedLease lease, boolean isNew) {
            String resource = lease.resource();
            if (lease.state() == State.FREE && appeared.remove(resource)) {
                untold.remove(resource);
            } else if (lease.state() != State.FREE || !isNew) {
                if (isNew && !untold.containsKey(resource)) {
                    appeared.add(resource);
                }
                untold.put(resource, lease);
            }
        }

        /** What no thread can be had for is told with the next change. */
        void wake() {
            CallbackRunner runner = begin();
            if (runner == null) {
                return;
            }
            try {
                if (prompt) {
                    tell();
                } else {
                    runner.run(this::tell);
                }
            } catch (RuntimeException | Error withoutMemory) {
                end();
            }
        }

        /** Null: there is nothing to tell, or a thread is at it. */
        private @Nullable CallbackRunner begin() {
            synchronized (PrefixWatch.this) {
                if (telling || closed || (untold.isEmpty() && current == toldCurrent)) {
                    return null;
                }
                telling = callbacks != null;
                return callbacks;
            }
        }

        private void end() {
            synchronized (PrefixWatch.this) {
                telling = false;
            }
        }

        private void tell() {
            try {
                boolean wasCurrent = toldCurrent;
                List<WatchedLease> changes = take();
                boolean isCurrent = toldCurrent;
                tell(changes, isCurrent != wasCurrent, isCurrent);
            } finally {
                end();
                wake();
            }
        }

        /** A listener that fails with the one has still to hear the other. */
        private void tell(List<WatchedLease> changes, boolean currentChanged, boolean isCurrent) {
            try {
                if (!changes.isEmpty()) {
                    listener.changed(changes);
                }
            } finally {
                if (currentChanged && !isClosed()) {
                    listener.currentChanged(isCurrent);
                }
            }
        }

        /** Both at once: a listener that hears that the watch is current has heard of all changes before. */
        private List<WatchedLease> take() {
            synchronized (PrefixWatch.this) {
                List<WatchedLease> changes = closed ? List.of() : List.copyOf(untold.values());
                untold.clear();
                appeared.clear();
                toldCurrent = !closed && current;
                return changes;
            }
        }

        private boolean isClosed() {
            synchronized (PrefixWatch.this) {
                return closed;
            }
        }

        @Override
        public String prefix() {
            return prefix;
        }

        @Override
        public Map<String, WatchedLease> leases() {
            synchronized (PrefixWatch.this) {
                return Map.copyOf(leases);
            }
        }

        @Override
        public Optional<WatchedLease> lease(String resource) {
            synchronized (PrefixWatch.this) {
                return Optional.ofNullable(leases.get(Objects.requireNonNull(resource, "resource")));
            }
        }

        @Override
        public boolean isCurrent() {
            synchronized (PrefixWatch.this) {
                return current && !closed;
            }
        }

        @Override
        public void close() {
            synchronized (PrefixWatch.this) {
                closed = true;
                untold.clear();
                appeared.clear();
                watchers.remove(this);
            }
            ending.accept(PrefixWatch.this);
        }

        @Override
        public String toString() {
            return "LeaseWatch[%s]".formatted(prefix);
        }
    }
}
