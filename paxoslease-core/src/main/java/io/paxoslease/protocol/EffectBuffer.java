package io.paxoslease.protocol;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects the effects of one step. Messages to the node itself do not leave it: they are delivered within the step. */
public final class EffectBuffer implements MessageSink {

    private final NodeId self;
    private final ArrayDeque<Message> toSelf = new ArrayDeque<>();
    private ArrayList<Effect> effects = new ArrayList<>();

    public EffectBuffer(NodeId self) {
        this.self = self;
    }

    @Override
    public void send(NodeId to, Message message) {
        if (to.equals(self)) {
            toSelf.add(message);
        } else {
            effects.add(new Effect.Send(to, message));
        }
    }

    /** So many effects follow. */
    public void expect(int more) {
        effects.ensureCapacity(effects.size() + more);
    }

    /** Null: nothing. */
    public void emit(@Nullable Effect effect) {
        if (effect != null) {
            effects.add(effect);
        }
    }

    /** Removes and answers the next message of the node to itself; null when there is none. */
    @Nullable
    public Message pollToSelf() {
        return toSelf.poll();
    }

    /** Drops the messages of the node to itself. */
    public void dropToSelf() {
        toSelf.clear();
    }

    /** Removes and answers the effects, in order; owned by the caller. */
    public List<Effect> take() {
        List<Effect> result = effects;
        effects = new ArrayList<>();
        return result;
    }
}
