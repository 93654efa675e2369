package io.paxoslease.shards.plan;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The leases of a group as a cell grants them: one holder each, a queue in order of arrival, a nominated node first, an end in time. */
final class ModelCell {

    private static final class ModelLease {
        final Deque<ModelInstance> queue = new ArrayDeque<>();

        @Nullable
        ModelInstance holder;
    }

    /** A participant's lease. */
    record Listed(ModelInstance instance, Participant note) {}

    private final GroupModel model;
    private final ModelLease[] leases;
    final Map<String, Listed> participants = new TreeMap<>();

    ModelCell(GroupModel model, int count) {
        this.model = model;
        this.leases = new ModelLease[count];
        for (int shard = 0; shard < count; shard++) {
            leases[shard] = new ModelLease();
        }
    }

    @Nullable
    ModelInstance holder(int shard) {
        return leases[shard].holder;
    }

    void publish(ModelInstance instance) {
        Listed listed = participants.get(instance.node);
        if (listed != null && listed.instance() != instance && !listed.instance().isGone) {
            model.after(GroupModel.MILLI * 100, () -> publish(instance)); // the lease of the process before
        } else if (instance.isAlive && instance.note != null) {
            participants.put(instance.node, new Listed(instance, instance.note));
            model.changed();
        }
    }

    void depart(ModelInstance instance) {
        Listed listed = participants.get(instance.node);
        if (listed != null && listed.instance() == instance) {
            participants.remove(instance.node);
            model.changed();
        }
    }

    void ask(ModelInstance instance, int shard, boolean isQueueing) {
        ModelLease lease = leases[shard];
        if (!instance.isAlive) {
            return;
        }
        if (lease.holder == null) {
            grant(shard, instance);
        } else if (isQueueing && lease.holder != instance) {
            lease.queue.add(instance);
            tellHolder(shard);
        } else {
            instance.answer(() -> instance.participation.refused(shard, instance.now()));
        }
    }

    void withdraw(ModelInstance instance, int shard) {
        if (leases[shard].queue.remove(instance)) {
            instance.answer(() -> instance.participation.refused(shard, instance.now()));
            tellHolder(shard);
        }
    }

    /** Serves the nominated node if it waits, else the first one that waits. */
    void release(ModelInstance instance, int shard, @Nullable String receiver) {
        ModelLease lease = leases[shard];
        if (lease.holder != instance) {
            return;
        }
        lease.holder = null;
        ModelInstance nominated = lease.queue.stream()
                .filter(each -> each.node.equals(receiver))
                .findFirst()
                .orElse(lease.queue.peek());
        if (nominated == null) {
            model.changed();
        } else {
            lease.queue.remove(nominated);
            grant(shard, nominated);
        }
    }

    private void grant(int shard, ModelInstance instance) {
        leases[shard].holder = instance;
        model.granted(shard, instance);
        model.changed();
        if (instance.isAlive) {
            instance.answer(() -> instance.participation.granted(shard, instance.now()));
        } else {
            model.after(model.leaseTime / 3, () -> release(instance, shard, null)); // it died while it waited
        }
        tellHolder(shard);
    }

    private void tellHolder(int shard) {
        ModelInstance holder = Objects.requireNonNull(leases[shard].holder);
        ModelInstance first = leases[shard].queue.peek();
        String node = first == null ? null : first.node;
        if (holder.isAlive) {
            holder.answer(() -> holder.participation.wanted(shard, node));
        }
    }

    /** Its leases end, each renewed for the last time within a third of the lease time. */
    void expire(ModelInstance instance, long shards, long participant) {
        model.after(shards, () -> {
            for (int shard = 0; shard < leases.length; shard++) {
                withdraw(instance, shard);
                release(instance, shard, null);
            }
        });
        model.after(participant, () -> {
            instance.isGone = true;
            depart(instance);
        });
    }
}
