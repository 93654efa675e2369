package io.paxoslease.shards.plan;

import io.paxoslease.shards.plan.Participant.State;
import io.paxoslease.shards.plan.Seat.Place;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Which place in a {@link Plan} each participant has. */
final class Seats {

    private Seats() {}

    /**
     * Free shards are for the participants of the revision that started last, if at least half of the candidates run it, else for all: a
     * first instance of a new revision does not get everything (S5). What they have no room for is for the other candidates.
     *
     * @param candidates the active participants that act
     * @param partners those of them that balance
     * @param state of the observer, which knows it before the view does
     * @param owners of shards: one that has left keeps its place while its last shards are handed over
     */
    static List<Seat> of(
            Roster roster,
            List<String> candidates,
            List<String> partners,
            String self,
            State state,
            @Nullable String[] owners) {
        Set<String> preferred = preferred(roster, candidates);
        Set<String> active = new HashSet<>(candidates);
        Set<String> balancing = new HashSet<>(partners);
        List<Seat> seats = new ArrayList<>();
        boolean isSeen = false;
        for (String node : roster.present()) {
            Participant note = roster.note(node);
            boolean isSelf = node.equals(self);
            isSeen |= isSelf;
            Place place;
            if (isSelf ? state.givesUp() : note.state().givesUp()) {
                place = Place.LEAVES;
            } else if (active.contains(node)) {
                place = preferred.contains(node) ? Place.PREFERRED : Place.RESERVE;
            } else {
                place = Place.KEEPS;
            }
            seats.add(new Seat(node, place, note.maxOwned(), balancing.contains(node)));
        }
        if (!isSeen && state.givesUp()) {
            seats.add(new Seat(self, Place.LEAVES, 1, false));
        }
        Stream.of(owners)
                .filter(owner -> owner != null && !owner.equals(self) && roster.hasLeft(owner))
                .distinct()
                .forEach(owner -> seats.add(new Seat(owner, Place.LEAVES, 1, false)));
        return seats;
    }

    private static Set<String> preferred(Roster roster, List<String> candidates) {
        String newest = candidates.stream()
                .map(roster::note)
                .max(Comparator.comparingInt(Participant::order).thenComparing(Participant::revision))
                .map(Participant::revision)
                .orElse("");
        List<String> running = candidates.stream()
                .filter(node -> roster.note(node).revision().equals(newest))
                .toList();
        return new HashSet<>(2 * running.size() >= candidates.size() ? running : candidates);
    }
}
