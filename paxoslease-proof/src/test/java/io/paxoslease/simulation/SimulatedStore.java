package io.paxoslease.simulation;

import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.LeaseAlgorithm;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A store of the members, in cells that have one: a member that starts runs what it has, if that is newer than the file (R7), and members that
 * run look into it now and then, and move (R2). Clients and some members may be without it.
 */
final class SimulatedStore {

    /** Of so many times that a member could look, it does once; the store failed the other times. */
    private static final int LOOKS = 8;

    private final World world;
    private final List<SimulatedNode> nodes;
    private @Nullable Generation stored;
    private boolean isSealed;

    SimulatedStore(World world, List<SimulatedNode> nodes) {
        this.world = world;
        this.nodes = nodes;
    }

    private boolean isThereFor(SimulatedNode node) {
        Changes changes = world.scenario().changes();
        return changes != null
                && changes.live()
                && !node.isClient()
                && !changes.storeless().contains(node.index());
    }

    /** A change is stored, unless a later one is: only if the generation before is known to be sealed, which the store says as well. */
    void put(Generation generation) {
        Generation now = stored;
        if (now != null && now.number() >= generation.number()) {
            return;
        }
        stored = generation;
        isSealed = false;
        for (SimulatedNode node : nodes) {
            if (node.isInstalled() && isThereFor(node) && isMember(node, generation)) {
                node.configure(generation);
            }
        }
    }

    /** R5: whether the node does not start with that file, as the store does not say that the generation before is sealed. */
    boolean refuses(SimulatedNode node, Generation file) {
        Generation now = stored;
        return isThereFor(node) && now != null && now.isFollowedBy(file) && !isSealed;
    }

    /** What a node with that file is started with; a new member stores its file. */
    Generation started(SimulatedNode node, Generation file) {
        if (!isThereFor(node)) {
            return file;
        }
        put(file);
        Generation now = stored;
        return now != null && isMember(node, now) ? now : file;
    }

    private static boolean isMember(SimulatedNode node, Generation generation) {
        return generation.everyone().contains(node.id());
    }

    /** As a real member does every two seconds. */
    void look() {
        for (SimulatedNode node : nodes) {
            Life life = node.life();
            Generation now = stored;
            if (now != null && life != null && isThereFor(node) && node.answers() && world.chance(LOOKS)) {
                look(node, life, now);
            }
        }
    }

    private void look(SimulatedNode node, Life life, Generation now) {
        LeaseAlgorithm algorithm = life.algorithm();
        Generation own = life.generation();
        if (own.isFollowedBy(now) && isMember(node, now)) {
            life.submit(new Event.SealStored(own));
            life.readsNext(now);
        } else if (algorithm != null && own.equals(now)) {
            if (algorithm.decidingGeneration() >= now.number()) {
                isSealed = true;
            } else if (isSealed && algorithm.sealedGeneration() < now.number()) {
                life.submit(new Event.SealStored(now));
            }
        }
    }
}
