package io.paxoslease.protocol;

import io.paxoslease.protocol.Effect.Notice;
import io.paxoslease.protocol.Effect.Notice.Level;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Keeps an acceptor that starts silent while nodes of its cell that run another configuration could grant leases without
 * it (section 9, G1 to G4), and for good once one of them knows that members are sealed in the place of its own (R7). An acceptor
 * that serves goes on serving: those that start beside it are silent in its place. Not thread-safe.
 */
public final class ConfigurationGuard {

    /** G1: how long an acceptor looks for other configurations before it serves. Nodes that cannot connect dial once a second. */
    public static final long LOOK_AROUND_NANOS = 2_000_000_000L;
    /** G2: how long a node that was seen is taken to be running. */
    public static final long SEEN_NANOS = 3_000_000_000L;

    /** Far more than a change can leave behind: forged ones must not fill the memory. */
    private static final int MAX_OTHERS = 64;

    private static final int MAX_TOLD = 3;

    /** Another configuration, as far as it matters here. */
    private record Other(List<NodeId> members, long silenceNanos) {}

    /** What the operator was told last: whether another configuration is sealed, which stays so, or else what was seen. */
    private record Told(boolean silent, boolean sealed, List<Other> others) {}

    /** Of one other configuration. */
    private static final class Sighting {
        private Event.OtherConfiguration last;
        private Moment at;
        /** When its nodes could last have been a majority of it; null when they never could. */
        private @Nullable Moment couldGrantAt;

        Sighting(Event.OtherConfiguration last, Moment at) {
            this.last = last;
            this.at = at;
        }
    }

    private final NodeId self;
    private Set<NodeId> members;
    private long silenceNanos;
    private final long seenNanos;
    private final long lookAroundNanos;
    private final Set<NodeId> running = new TreeSet<>();
    private final Map<Other, Sighting> sightings = new LinkedHashMap<>();
    /** Since when it looks around; null: it has not begun. */
    private @Nullable Moment opened;

    private @Nullable Moment lookUntil;
    private boolean serving;
    /** R7: what is sealed in the place of this configuration; null: nothing that was heard of before it served. */
    private Event.@Nullable OtherConfiguration sealed;

    private @Nullable Told told;

    /**
     * Silent until {@link #lookAround}.
     *
     * @param members of this configuration
     * @param silenceNanos how long an acceptor of this configuration is silent after a start (D_Q)
     * @param seenNanos {@link #SEEN_NANOS}, but for worlds with other units of time
     * @param lookAroundNanos {@link #LOOK_AROUND_NANOS}, likewise
     */
    public ConfigurationGuard(
            NodeId self, List<NodeId> members, long silenceNanos, long seenNanos, long lookAroundNanos) {
        this.self = self;
        this.members = Set.copyOf(members);
        this.silenceNanos = silenceNanos;
        this.seenNanos = seenNanos;
        this.lookAroundNanos = lookAroundNanos;
    }

    /** Of a node that meets nodes of its own configuration only, by construction. */
    public static ConfigurationGuard none(NodeId self) {
        ConfigurationGuard guard = new ConfigurationGuard(self, List.of(self), 0, 0, 0);
        guard.serving = true;
        return guard;
    }

    /** The node can be reached and dials from now on. */
    public void lookAround(Moment now) {
        opened = now;
        lookUntil = now.plusNanos(lookAroundNanos);
        sightings.keySet().forEach(this::lookForLonger);
    }

    /**
     * Beside another list, what was granted before this node could look is over a silence after it could; the quarantine alone may have
     * begun before that, and only covers what this node itself has granted.
     */
    private void lookForLonger(Other other) {
        if (opened != null && lookUntil != null && !members.equals(Set.copyOf(other.members()))) {
            lookUntil = Moment.later(lookUntil, opened.plusNanos(ageing(other)));
        }
    }

    /** The configuration of this node changes while it runs. */
    public void changed(List<NodeId> newMembers, long newSilenceNanos) {
        members = Set.copyOf(newMembers);
        silenceNanos = newSilenceNanos;
    }

    /** The acceptor has lost its memory, and starts again. */
    public void restart(Moment now) {
        if (lookUntil != null) {
            serving = false;
            lookAround(now);
        }
    }

    /** Takes in what an event tells of other configurations and of the nodes that are connected. */
    public void observe(Event event, Moment now) {
        if (event instanceof Event.OtherConfiguration other) {
            seen(other, now);
        } else if (event instanceof Event.Opened) {
            lookAround(now);
        } else if (event instanceof Event.Reachable reachable) {
            connected(reachable.node(), now);
        } else if (event instanceof Event.Unreachable unreachable) {
            disconnected(unreachable.node(), now);
        }
    }

    /** A node of the cell that runs another configuration was seen, or heard of. */
    public void seen(Event.OtherConfiguration event, Moment now) {
        advance(now);
        sealed = event.isSealed() && !serving ? event : sealed;
        Other other = new Other(event.members(), event.silenceNanos());
        lookForLonger(other);
        Sighting known = sightings.get(other);
        if (known != null) {
            known.last = event;
            known.at = now;
        } else if (sightings.size() < MAX_OTHERS) {
            sightings.put(other, new Sighting(event, now));
        } else if (lookUntil != null) { // what is not remembered could grant for as long as anything else
            lookUntil = Moment.later(lookUntil, now.plusNanos(seenNanos + ageing(other)));
        }
        advance(now);
    }

    /** The node is connected, so it runs this configuration. */
    public void connected(NodeId node, Moment now) {
        advance(now);
        running.add(node);
    }

    /** It is not known any more what the node runs. */
    public void disconnected(NodeId node, Moment now) {
        advance(now);
        running.remove(node);
        advance(now);
    }

    /** G3: whether another configuration could grant leases, or has granted some that may not be over. */
    public boolean isSilent(Moment now) {
        if (serving) {
            return false;
        }
        advance(now);
        Moment end = end();
        return end == null || now.isBefore(end);
    }

    /** G4: nothing else keeps the acceptor silent: from now on it serves, unless this does. Answers whether it serves. */
    public boolean serve(Moment now) {
        serving = !isSilent(now);
        return serving;
    }

    /** Whether it has served since the last start. */
    public boolean isServing() {
        return serving;
    }

    /** How long the silence lasts yet as far as is known now, in nanoseconds; zero when it is over. */
    public long remainingNanos(Moment now) {
        Moment end = isSilent(now) ? end() : now;
        return end == null ? lookAroundNanos : Math.max(0, now.nanosUntil(end));
    }

    /** When the silence ends if nothing more is seen; null when it cannot be told yet. */
    private @Nullable Moment end() {
        Moment end = sealed == null ? lookUntil : null;
        for (Map.Entry<Other, Sighting> entry : sightings.entrySet()) {
            Sighting sighting = entry.getValue();
            Moment couldGrant = couldGrant(entry.getKey()) ? sighting.at.plusNanos(seenNanos) : sighting.couldGrantAt;
            if (end != null && couldGrant != null) {
                end = Moment.later(end, couldGrant.plusNanos(ageing(entry.getKey())));
            }
        }
        return end;
    }

    /** When something changes by time alone; null: nothing does. */
    public @Nullable Moment nextDeadline() {
        if (!serving) {
            return end();
        }
        Moment next = null;
        for (Map.Entry<Other, Sighting> entry : sightings.entrySet()) {
            next = Moment.earliest(next, over(entry.getKey(), entry.getValue()));
        }
        return next;
    }

    /** What has been granted is over after the longer of both silences. */
    private long ageing(Other other) {
        return Math.max(silenceNanos, other.silenceNanos());
    }

    /** Up to now nothing has changed since the last call but the time. */
    private void advance(Moment now) {
        sightings.forEach((other, sighting) -> {
            if (couldGrant(other)) {
                sighting.couldGrantAt = Moment.earlier(now, sighting.at.plusNanos(seenNanos));
            }
        });
        sightings.entrySet().removeIf(entry -> !now.isBefore(over(entry.getKey(), entry.getValue())));
    }

    /** When the sighting is of no consequence any more, if nothing more is seen. */
    private Moment over(Other other, Sighting sighting) {
        Moment seenUntil = sighting.at.plusNanos(seenNanos);
        Moment couldGrantAt = couldGrant(other) ? seenUntil : sighting.couldGrantAt;
        return couldGrantAt == null ? seenUntil : Moment.later(seenUntil, couldGrantAt.plusNanos(ageing(other)));
    }

    /** G2: those of its members that are not known to run this configuration are a majority of them. */
    private boolean couldGrant(Other other) {
        return strangers(other).size() > other.members().size() / 2;
    }

    private List<NodeId> strangers(Other other) {
        List<NodeId> strangers = new ArrayList<>(other.members());
        strangers.removeIf(member -> member.equals(self) || running.contains(member));
        return strangers;
    }

    /** For people; null when no other configuration has been seen lately. */
    public NodeView.@Nullable OtherConfiguration view(Moment now) {
        String problem = problem(now);
        boolean silences = isSilent(now)
                && (sealed != null || sightings.values().stream().anyMatch(seen -> seen.couldGrantAt != null));
        return problem == null ? null : new NodeView.OtherConfiguration(problem, silences);
    }

    private @Nullable String problem(Moment now) {
        boolean silent = isSilent(now);
        advance(now);
        if (sealed != null) {
            return OtherConfigurationText.sealed(self, sealed);
        } else if (sightings.isEmpty()) {
            return null;
        }
        List<String> others = sightings.entrySet().stream()
                .limit(MAX_TOLD)
                .map(entry -> problem(entry.getKey(), entry.getValue().last, silent))
                .toList();
        return OtherConfigurationText.seen(self, silent, serving, others);
    }

    private String problem(Other other, Event.OtherConfiguration last, boolean silent) {
        if (!silent) {
            return OtherConfigurationText.refusing(last);
        }
        return couldGrant(other)
                ? OtherConfigurationText.couldGrant(last, strangers(other))
                : OtherConfigurationText.hasGranted(last);
    }

    /** What to tell the operator now; null when nothing has changed since the last call. */
    public @Nullable Effect news(Moment now) {
        if (sightings.isEmpty() && sealed == null && told == null) {
            return null;
        }
        advance(now);
        List<Other> others = sealed == null ? List.copyOf(sightings.keySet()) : List.of();
        Told news = sealed == null && others.isEmpty() ? null : new Told(isSilent(now), sealed != null, others);
        if (Objects.equals(news, told)) { // as at most events: words are made of a change only
            return null;
        }
        told = news;
        return news == null
                ? new Notice(Level.INFO, OtherConfigurationText.none(self))
                : new Notice(Level.WARN, "Other configuration: " + problem(now));
    }
}
