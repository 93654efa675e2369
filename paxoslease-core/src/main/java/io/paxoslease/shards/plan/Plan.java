package io.paxoslease.shards.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntPredicate;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Which instance should own each shard of a group (S4): a pure function of the participants, the owners and the number of shards. It
 * sorts what it is given, so equal views give equal plans in any order of iteration.
 *
 * <p>Shards without an owner, and those of participants that leave, are placed. A level is filled up, as water fills a vessel: each
 * participant gets shards up to the level or one above, and no shard of another one moves for that. If there is nothing to place, the
 * participants that balance are brought to the quota: the same number or one more for each, within {@code max-owned}, the larger share
 * first for those that have it. Both take pairs of participant and shard by descending {@linkplain StableHash weight} while the
 * participant has room.
 *
 * <p>Executing a plan, or any part of it, leaves the rest of the plan as it was: an executed pair takes the room that it had in the
 * plan. That is why balance waits for shards that are to be placed: both at a time would change each other's rooms.
 */
final class Plan {

    /** A shard that balance moves. */
    record Move(int shard, String from, String to) {}

    private static final int NONE = -1;
    private static final int SHARD_BITS = 12;
    private static final int PAIR_BITS = 22;

    private final Seat[] seats;
    private final long[] seeds;
    private final int[] held;
    private final int[] owners;
    private final int[] targets;
    private final BitSet pinned;
    private final BitSet placed = new BitSet();
    private final BitSet unplaced = new BitSet();
    private final List<Move> moves = new ArrayList<>();

    private Plan(
            String group, Collection<Seat> participants, @Nullable String[] owners, BitSet unknown, BitSet pinned) {
        this.seats = participants.toArray(Seat[]::new);
        Arrays.sort(seats, Comparator.comparing(Seat::node));
        this.seeds = Arrays.stream(seats)
                .mapToLong(seat -> StableHash.seed(group, seat.node()))
                .toArray();
        this.held = new int[seats.length];
        this.owners = new int[owners.length];
        this.targets = new int[owners.length];
        this.pinned = pinned;
        Map<String, Integer> indexes = new HashMap<>();
        IntStream.range(0, seats.length).forEach(i -> indexes.put(seats[i].node(), i));
        BitSet toPlace = new BitSet();
        for (int shard = 0; shard < owners.length; shard++) {
            int owner = Objects.requireNonNull(indexes.getOrDefault(owners[shard], NONE));
            this.owners[shard] = owner;
            targets[shard] = owner;
            if (owner == NONE) {
                toPlace.set(shard, owners[shard] == null && !unknown.get(shard));
            } else if (seats[owner].place() == Seat.Place.LEAVES) {
                toPlace.set(shard);
            } else {
                held[owner]++;
            }
        }
        place(toPlace, Seat.Place.PREFERRED);
        place(toPlace, Seat.Place.RESERVE);
        unplaced.or(toPlace);
        if (placed.isEmpty()) {
            balance();
        }
    }

    /**
     * @param group its name, so that a node gets other shards of another group
     * @param owners the owner of each shard, or null
     * @param unknown shards whose owner is not known: they stay out of the plan
     * @param pinned shards that balance leaves where they are
     */
    static Plan of(
            String group, Collection<Seat> participants, @Nullable String[] owners, BitSet unknown, BitSet pinned) {
        return new Plan(group, participants, owners, unknown, pinned);
    }

    /** The node that should own the shard; null if none can, or if its owner is no participant. */
    @Nullable
    String target(int shard) {
        return targets[shard] == NONE ? null : seats[targets[shard]].node();
    }

    /** Whether the shard has no owner, or one that leaves, and has a new one in this plan. */
    boolean isPlaced(int shard) {
        return placed.get(shard);
    }

    /** What does not fit anywhere: free shards, or those of participants that leave (S10). */
    BitSet unplaced() {
        return (BitSet) unplaced.clone();
    }

    /** For the sake of balance, by descending weight. */
    List<Move> moves() {
        return moves;
    }

    private void place(BitSet toPlace, Seat.Place place) {
        if (toPlace.isEmpty()) {
            return;
        }
        int[] candidates = indexes(i -> seats[i].place() == place);
        int[] rooms = rooms(candidates, toPlace.cardinality(), i -> held[i]);
        assign(candidates, rooms, toPlace.stream().toArray(), (shard, node) -> {
            targets[shard] = node;
            held[node]++;
            placed.set(shard);
            toPlace.clear(shard);
        });
    }

    private void balance() {
        int[] partners = indexes(i -> seats[i].balances());
        int total = Arrays.stream(partners).map(i -> held[i]).sum();
        int[] quotas = rooms(partners, total, i -> 0);
        int[] rooms = new int[partners.length];
        List<Integer> given = new ArrayList<>();
        for (int k = 0; k < partners.length; k++) {
            int excess = held[partners[k]] - quotas[k];
            rooms[k] = Math.max(0, -excess);
            if (excess > 0) {
                given.addAll(leastWanted(partners[k], excess));
            }
        }
        assign(partners, rooms, given.stream().mapToInt(Integer::intValue).toArray(), (shard, node) -> {
            moves.add(new Move(shard, seats[targets[shard]].node(), seats[node].node()));
            targets[shard] = node;
        });
    }

    /** Of the shards that a giver holds, those with the lowest weight for it. */
    private List<Integer> leastWanted(int giver, int excess) {
        return IntStream.range(0, targets.length)
                .filter(shard -> owners[shard] == giver && !pinned.get(shard))
                .boxed()
                .sorted((a, b) ->
                        Long.compareUnsigned(StableHash.weight(seeds[giver], a), StableHash.weight(seeds[giver], b)))
                .limit(excess)
                .toList();
    }

    /**
     * Fills up to a level, and one above for some: how many of that amount each of the participants gets above its base. Those that
     * already hold more than the level come first for the larger share, so that they need not give; then the weight decides.
     */
    private int[] rooms(int[] nodes, int amount, IntUnaryOperator base) {
        int low = 0;
        int high = targets.length;
        while (low < high) {
            int middle = (low + high + 1) / 2;
            if (Arrays.stream(nodes).map(i -> room(i, middle, base)).sum() <= amount) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        int level = low;
        int[] rooms = Arrays.stream(nodes).map(i -> room(i, level, base)).toArray();
        int left = amount - Arrays.stream(rooms).sum();
        IntStream.range(0, nodes.length)
                .filter(k -> room(nodes[k], level + 1, base) > rooms[k])
                .boxed()
                .sorted(Comparator.<Integer, Boolean>comparing(k -> held[nodes[k]] <= level)
                        .thenComparing((a, b) -> Long.compareUnsigned(
                                StableHash.weight(seeds[nodes[b]], NONE), StableHash.weight(seeds[nodes[a]], NONE))))
                .limit(left)
                .forEach(k -> rooms[k]++);
        return rooms;
    }

    private int room(int node, int level, IntUnaryOperator base) {
        return Math.max(0, Math.min(level, seats[node].maxOwned()) - base.applyAsInt(node));
    }

    private int[] indexes(IntPredicate which) {
        return IntStream.range(0, seats.length).filter(which).toArray();
    }

    private interface Assignment {
        void assign(int shard, int node);
    }

    /** Takes pairs by descending weight while the node has room: of 64 bits of weight 42 decide, then the order of nodes and shards. */
    private void assign(int[] nodes, int[] rooms, int[] shards, Assignment result) {
        int[] open = IntStream.range(0, nodes.length).filter(k -> rooms[k] > 0).toArray();
        long[] pairs = new long[open.length * shards.length];
        int next = 0;
        for (int k : open) {
            long seed = seeds[nodes[k]];
            for (int shard : shards) {
                long weight = StableHash.weight(seed, shard) ^ Long.MIN_VALUE;
                pairs[next++] = (weight >> PAIR_BITS << PAIR_BITS) | ((long) k << SHARD_BITS) | shard;
            }
        }
        Arrays.sort(pairs);
        BitSet left = new BitSet();
        Arrays.stream(shards).forEach(left::set);
        for (int i = pairs.length - 1; i >= 0 && !left.isEmpty(); i--) {
            int shard = (int) pairs[i] & ((1 << SHARD_BITS) - 1);
            int k = (int) pairs[i] >>> SHARD_BITS & ((1 << (PAIR_BITS - SHARD_BITS)) - 1);
            if (rooms[k] > 0 && left.get(shard)) {
                rooms[k]--;
                left.clear(shard);
                result.assign(shard, nodes[k]);
            }
        }
    }
}
