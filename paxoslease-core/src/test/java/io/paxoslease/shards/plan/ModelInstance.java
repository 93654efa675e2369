package io.paxoslease.shards.plan;

import io.paxoslease.protocol.Moment;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** An instance with its own clock, delays and work. */
final class ModelInstance {

    final String node;
    final Participation participation;
    final BitSet running = new BitSet();
    long viewDelay;
    boolean isAlive = true;

    /** The last one that it published. */
    @Nullable
    Participant note;

    /** Its participant lease has ended. */
    boolean isGone;

    /** Its work ignores that it should end. */
    boolean hangs;

    private final GroupModel model;
    private final long origin;
    private final long latency;
    private long viewAt;
    private @Nullable Long lookAt;
    private boolean isAwake;
    private long blindUntil;
    private final BitSet hung = new BitSet();

    ModelInstance(GroupModel model, String node, String revision, GroupSettings settings) {
        this.model = model;
        this.node = node;
        this.origin = model.random.nextLong();
        this.latency = GroupModel.MILLI / 2 + model.random.nextLong(2 * GroupModel.MILLI);
        this.viewDelay = model.drawViewDelay();
        this.participation = new Participation(settings, node, revision, model.random.nextInt(), now());
    }

    Moment now() {
        return new Moment(origin + model.time);
    }

    /** An answer of the cell, on its way. */
    void answer(Runnable event) {
        model.after(latency, () -> tell(event));
    }

    /** Views arrive in order. */
    void see(GroupView view) {
        long at = Math.max(viewAt + 1, model.time + viewDelay + model.random.nextLong(1 + viewDelay / 2));
        viewAt = at;
        model.after(at - model.time, () -> {
            if (model.time >= blindUntil) {
                tell(() -> participation.view(view, now()));
            }
        });
    }

    /** No majority answers for a while; then a view comes. */
    void stall(long nanos) {
        blindUntil = model.time + nanos;
        tell(participation::stalled);
        model.after(nanos, () -> {
            if (isAlive) {
                see(model.view());
            }
        });
    }

    /** The cell forgets a lease of this instance, which stops in time. */
    void loseOne() {
        int shard = running.nextSetBit(0);
        if (shard >= 0 && isAlive) {
            tell(() -> {
                running.clear(shard);
                participation.lost(shard);
            });
            model.cell.release(this, shard, null);
        }
    }

    /** Work that ignored its interrupt ends. */
    void endHungWork() {
        hung.stream().forEach(this::endWork);
        hung.clear();
    }

    private void endWork(int shard) {
        tell(() -> {
            if (running.get(shard)) {
                running.clear(shard);
                participation.workEnded(shard, now());
            }
        });
    }

    /** Hands an event in; decides once for all events of one moment. */
    void tell(Runnable event) {
        if (isAlive) {
            event.run();
            if (!isAwake) {
                isAwake = true;
                model.after(0, this::act);
            }
        }
    }

    private void act() {
        isAwake = false;
        if (!isAlive) {
            return;
        }
        participation.decide(now()).forEach(this::execute);
        Moment next = participation.nextLook();
        if (next != null) {
            long at = model.time + Math.max(1, now().nanosUntil(next));
            if (lookAt == null || lookAt > at || lookAt <= model.time) {
                lookAt = at;
                model.after(at - model.time, () -> tell(() -> {}));
            }
        }
    }

    private void execute(Decision decision) {
        if (decision instanceof Decision.Publish publish) {
            note = publish.note();
            model.after(latency, () -> model.cell.publish(this));
        } else if (decision instanceof Decision.Claim claim) {
            model.after(latency, () -> model.cell.ask(this, claim.shard(), false));
        } else if (decision instanceof Decision.Queue queue) {
            model.wishes++;
            model.after(latency, () -> model.cell.ask(this, queue.shard(), true));
        } else if (decision instanceof Decision.Withdraw withdraw) {
            model.withdrawn++;
            model.after(latency, () -> model.cell.withdraw(this, withdraw.shard()));
        } else if (decision instanceof Decision.StartWork work) {
            running.set(work.shard());
            model.started(work.shard(), this);
        } else if (decision instanceof Decision.EndWork work) {
            model.interrupted(work.shard());
            if (hangs) {
                hung.set(work.shard());
            } else {
                model.after(model.workTime, () -> endWork(work.shard()));
            }
        } else if (decision instanceof Decision.Release release) {
            if (running.get(release.shard())) {
                model.violation(node + " releases shard " + release.shard() + " while the work on it runs");
            }
            model.after(latency, () -> model.cell.release(this, release.shard(), release.receiver()));
        } else {
            isAlive = false;
            model.after(latency, () -> {
                isGone = true;
                model.cell.depart(this);
            });
        }
    }
}
