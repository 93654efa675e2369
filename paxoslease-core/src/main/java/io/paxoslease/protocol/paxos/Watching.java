package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.EffectBuffer;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.OncePerMinute;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.watch.WatchMessage;
import io.paxoslease.protocol.watch.Watches;
import org.jspecify.annotations.Nullable;

/** What a node watches, and who watches its acceptor (section 10). It routes and does not decide. */
final class Watching {

    private final Generations generations;
    private final @Nullable Acceptor acceptor;
    private final EffectBuffer effects;
    private final Watches watches;
    private final OncePerMinute notices = new OncePerMinute();

    /** @param heapBytes the heap of the process: what it watches may have three sixteenths of it */
    Watching(Generations generations, @Nullable Acceptor acceptor, EffectBuffer effects, long heapBytes) {
        this.generations = generations;
        this.acceptor = acceptor;
        this.effects = effects;
        this.watches = new Watches(effects, heapBytes / 16 * 3);
    }

    void observe(Event event, Reading now) {
        if (event instanceof Event.Watch watch) {
            watches.watch(watch.prefix(), generations.quorum(), now.moment());
        } else if (event instanceof Event.Unwatch unwatch) {
            watches.unwatch(unwatch.prefix());
        } else if (event instanceof Event.Reachable reachable) {
            watches.reachable(reachable.node(), now.moment());
        } else if (event instanceof Event.Unreachable unreachable) {
            watches.unreachable(unreachable.node());
            if (acceptor != null) {
                acceptor.watchers().unreachable(unreachable.node());
            }
        }
    }

    /** A silent acceptor answers those that watch no more than others. */
    void deliver(NodeId from, WatchMessage message, Reading now) {
        if (message instanceof WatchMessage.Changes changes) {
            watches.hear(from, changes, now.moment());
        } else if (message instanceof WatchMessage.Request request && acceptor != null && !acceptor.isSilent(now)) {
            if (!acceptor.watchers().serve(from, request, now.moment())) {
                refused(from, now.moment());
            }
        }
    }

    /** It asks again. */
    private void refused(NodeId from, Moment now) {
        if (notices.isDue(now)) {
            effects.emit(new Effect.Notice(
                    Effect.Notice.Level.WARN,
                    "Node '%s' wants to watch leases, and watches already take all memory that this member has for them: give the member more heap"
                            .formatted(from)));
        }
    }

    /** At the end of a step. */
    void finish(Reading now) {
        if (acceptor != null) {
            acceptor.tellWatchers(now, effects);
        }
        watches.finish(generations.quorum(), generations.timing().quarantineNanos(), now.moment());
    }

    @Nullable
    Moment nextDeadline() {
        return watches.nextDeadline();
    }
}
