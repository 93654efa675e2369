package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.paxos.KnownBatches.Listed;
import io.paxoslease.protocol.paxos.PaxosMessage.Answer;
import io.paxoslease.protocol.paxos.PaxosMessage.Extend;
import io.paxoslease.protocol.paxos.PaxosMessage.Extended;
import io.paxoslease.protocol.paxos.PaxosMessage.Extension;
import io.paxoslease.protocol.paxos.PaxosMessage.UnknownBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** An acceptor's rule for renewals of many resources (A4), and the lists that it remembers for them. */
final class Extensions {

    private final Generations generations;
    private final SlotTable slots;
    private final Share share;
    private final KnownBatches lists;

    /** @param share what the lists may have */
    Extensions(Generations generations, SlotTable slots, Share share) {
        this.generations = generations;
        this.slots = slots;
        this.share = share;
        this.lists = new KnownBatches(share);
    }

    /** The same with other slots, and no list. */
    Extensions forgetting(SlotTable fresh) {
        return new Extensions(generations, fresh, share.emptied());
    }

    void forgetUnusedSince(Moment before) {
        lists.forgetUnusedSince(before);
    }

    /**
     * A4. Never creates a record. A list that was sent before may be named by its number: then it is taken as if it had been sent
     * again.
     *
     * @return null: no answer, as the lease time is not one of this cell's
     * @param isWanted whether others wait for the resource at a place: told to the holder
     */
    @Nullable
    Answer extend(NodeId from, Extend request, IntPredicate isWanted, Reading now) {
        if (AcceptorRules.isOutOfBounds(request.leaseNanos(), generations.timing())) {
            return null;
        }
        Listed listed = request.isByNumber()
                ? lists.use(from, request.incarnation(), request.batchId(), now.moment())
                : resolve(from, request, now.moment());
        return listed == null
                ? new UnknownBatch(request.incarnation(), request.attempt())
                : extend(from, request, listed, isWanted, now);
    }

    /** Finds where the listed resources are, and remembers that if the list has a number. */
    private Listed resolve(NodeId from, Extend request, Moment now) {
        Listed listed = new Listed(request.extensions().size(), now);
        int i = 0;
        for (Extension extension : request.extensions()) {
            int place = slots.find(extension.resource());
            listed.places[i] = place;
            listed.generations[i] = place < 0 ? 0 : slots.generation(place);
            listed.lowestCounters[i] = extension.lowestCounter();
            i++;
        }
        if (request.batchId() != Extend.UNNUMBERED) {
            lists.put(from, request.incarnation(), request.batchId(), listed, slots.size());
        }
        return listed;
    }

    private Extended extend(NodeId from, Extend request, Listed listed, IntPredicate isWanted, Reading now) {
        Moment until = now.moment().plusNanos(generations.exclusionNanos(request.leaseNanos()));
        List<Integer> missing = new ArrayList<>(0);
        List<Integer> wanted = new ArrayList<>(0);
        for (int i = 0; i < listed.places.length; i++) {
            int place = listed.places[i];
            // The place may be another resource's by now.
            if (place < 0 || slots.generation(place) != listed.generations[i]) {
                missing.add(i);
                continue;
            }
            AcceptorSlot slot = slots.touch(place, now.moment());
            if (slot.isLiveFor(now.moment())
                    && slot.extend(from, request.incarnation(), listed.lowestCounters[i], until, now.moment())) {
                slots.saveTimes(place, slot);
                if (isWanted.test(place)) {
                    wanted.add(i);
                }
            } else {
                missing.add(i);
            }
        }
        return new Extended(request.incarnation(), request.attempt(), missing, wanted);
    }
}
