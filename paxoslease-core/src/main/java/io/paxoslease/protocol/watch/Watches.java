package io.paxoslease.protocol.watch;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.EffectBuffer;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Printable;
import io.paxoslease.protocol.Quorum;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The prefixes that a node watches (section 10). Not thread-safe. */
public final class Watches {

    private final EffectBuffer effects;
    private final ViewMemory memory;
    private final Map<String, PrefixView> views = new LinkedHashMap<>();
    private @Nullable Quorum quorum;

    /**
     * @param effects takes what is sent and told
     * @param mostBytes what may be kept of what members tell
     */
    public Watches(EffectBuffer effects, long mostBytes) {
        this.effects = effects;
        this.memory = new ViewMemory(mostBytes);
    }

    /** From now on the prefix is watched, and told of by {@link Effect.Watched}: first all that is known, also if it has been watched before. */
    public void watch(String prefix, Quorum deciding, Moment now) {
        views.computeIfAbsent(prefix, each -> new PrefixView(each, memory, deciding, now))
                .tellAll();
    }

    public void unwatch(String prefix) {
        PrefixView view = views.remove(prefix);
        if (view != null) {
            view.forget();
            view.members().forEach(member -> effects.send(member.member, new WatchMessage.Unwatch(prefix)));
        }
    }

    public void reachable(NodeId node, Moment now) {
        views.values().forEach(view -> view.reachable(node, now));
    }

    public void unreachable(NodeId node) {
        views.values().forEach(view -> view.unreachable(node));
        makeRoom();
    }

    /** What members that cannot be reached have told is dropped when there is no room for what another one tells. */
    private void makeRoom() {
        boolean makes = false;
        if (isAnyFull()) {
            for (PrefixView view : views.values()) {
                for (MemberView member : view.members()) {
                    makes |= member.makeRoom();
                }
            }
        }
        if (makes) {
            views.values().forEach(view -> view.members().forEach(MemberView::retrySoon));
        }
    }

    private boolean isAnyFull() {
        for (PrefixView view : views.values()) {
            for (MemberView member : view.members()) {
                if (member.isFull()) {
                    return true;
                }
            }
        }
        return false;
    }

    public void hear(NodeId from, WatchMessage.Changes told, Moment now) {
        PrefixView view = views.get(told.prefix());
        WatchMessage confirmation = view == null ? new WatchMessage.Unwatch(told.prefix()) : view.hear(from, told, now);
        if (confirmation != null) {
            effects.send(from, confirmation);
        }
        if (confirmation instanceof WatchMessage.Unwatch) {
            makeRoom();
        }
        if (view != null && view.isNewlyFull(from, now)) {
            effects.emit(new Effect.Notice(
                    Effect.Notice.Level.WARN,
                    "This node has no memory for all that the members tell of leases '%s...', and watches them at fewer members or not at all: give it more heap"
                            .formatted(Printable.name(view.prefix))));
        }
    }

    /** At the end of a step: asks members, and tells what has changed. */
    public void finish(Quorum deciding, long lastNanos, Moment now) {
        if (views.isEmpty()) {
            return;
        }
        boolean others = quorum != deciding;
        quorum = deciding;
        for (PrefixView view : views.values()) {
            if (others) {
                view.decidedBy(deciding, now);
            }
            for (MemberView member : view.members()) {
                WatchMessage question = member.ask(now);
                if (question != null) {
                    effects.send(member.member, question);
                }
            }
            Effect.Watched news = view.news(lastNanos, now);
            if (news != null) {
                effects.emit(news);
            }
        }
    }

    /** When something is due; null: never. */
    public @Nullable Moment nextDeadline() {
        Moment next = null;
        for (PrefixView view : views.values()) {
            next = Moment.earliest(next, view.next());
        }
        return next;
    }
}
