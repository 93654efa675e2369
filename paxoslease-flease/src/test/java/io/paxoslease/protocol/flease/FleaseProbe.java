package io.paxoslease.protocol.flease;

import io.paxoslease.protocol.LeaseView;
import io.paxoslease.protocol.NodeView;
import io.paxoslease.protocol.Reading;
import java.lang.reflect.Field;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Looks into a node from outside and changes nothing. */
public final class FleaseProbe {

    private final FleaseNode node;
    private final WriterIdentity life;
    private final Registers registers;
    private final Proposer proposer;

    public FleaseProbe(FleaseNode node) {
        this.node = node;
        this.life = (WriterIdentity) read(node, "life");
        this.registers = (Registers) read(node, "registers");
        this.proposer = (Proposer) read(node, "proposer");
    }

    private static Object read(Object from, String name) {
        try {
            Field field = from.getClass().getDeclaredField(name);
            field.setAccessible(true);
            return Objects.requireNonNull(field.get(from));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(from.getClass() + " does not show its field " + name, e);
        }
    }

    /** What the node stores. */
    public Stored stored(String resource) {
        return registers.stored(resource);
    }

    /** Below which round the node has promised to take nothing; {@link Round#NONE} when it remembers no promise. */
    public Round promised(String resource) {
        Object register = ((Map<?, ?>) read(registers, "registers")).get(resource);
        return register == null ? Round.NONE : (Round) read(register, "promised");
    }

    /** What the node says of itself. */
    public NodeView view(Reading now) {
        return node.view(now);
    }

    /** What the node says of a resource; null when nothing. */
    public @Nullable LeaseView view(String resource, Reading now) {
        return node.view(resource, now);
    }

    /** Whether the node will notice, as soon as it does anything, that its clock was set. */
    public boolean willNotice(Reading now) {
        Object own = read(read(node, "clocks"), "own");
        return new OwnClock((TimeRules) read(own, "bound"), (Reading) read(own, "windowStart")).wasSet(now);
    }

    /** In whose name the tenure with that token is held; negative when there is no such tenure. */
    public long incarnationOf(String resource, long token) {
        ResourceState state = proposer.table().get(resource);
        boolean holds = state != null && state.tenure != null && state.tenure.token == token;
        return holds ? life.incarnation().low() : -1;
    }

    /** Of how many resources the node wants, holds or has to give back something. */
    public int claims() {
        return proposer.table().all().size();
    }

    /** Whether the answers of that attempt still count. */
    public boolean isInFlight(String resource, long attempt) {
        ResourceState state = proposer.table().get(resource);
        return state != null && state.attempt != null && state.attempt.id == attempt;
    }

    /** Whether an attempt to renew the tenure is in flight. */
    public boolean isRenewing(String resource) {
        ResourceState state = proposer.table().get(resource);
        return state != null && state.tenure != null && state.attempt != null;
    }
}
