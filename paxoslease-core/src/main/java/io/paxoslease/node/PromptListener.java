package io.paxoslease.node;

import io.paxoslease.watch.LeaseWatchListener;
import io.paxoslease.watch.WatchedLease;
import java.util.List;

/** Of the library: told at once, by the thread that has learned of the change. It must not block, and looks at the watch later. */
record PromptListener(Runnable onChange) implements LeaseWatchListener {

    @Override
    public void changed(List<WatchedLease> changes) {
        onChange.run();
    }

    @Override
    public void currentChanged(boolean current) {
        onChange.run();
    }
}
