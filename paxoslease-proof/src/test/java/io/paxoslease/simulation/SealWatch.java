package io.paxoslease.simulation;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.NodeView;
import io.paxoslease.protocol.Reading;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Knows the highest generation that any node has ever known to be sealed, as nobody in the cell can. From then on the list of that
 * generation decides, and the checker hears of it. Each generation is sealed with one content (R6).
 */
final class SealWatch {

    private final World world;
    private final boolean byGenerations;
    private int sealed;
    /** The highest generation that a status has shown to be sealed. */
    private int shown = 1;

    private @Nullable MemberList list;
    private boolean beyondTheLimit;

    SealWatch(World world) {
        Changes changes = world.scenario().changes();
        this.world = world;
        this.byGenerations = changes != null && changes.kind().isByGenerations();
        this.sealed = changes == null ? Integer.MAX_VALUE : 1;
        this.list = changes == null ? null : changes.files().get(0).current();
    }

    int sealed() {
        return sealed;
    }

    /** What an operator can know to be sealed. */
    int shown() {
        return shown;
    }

    /** After each step of a node. */
    void look(SimulatedNode node, Life life) {
        LeaseAlgorithm algorithm = life.algorithm();
        shown = algorithm == null ? shown : Math.max(shown, algorithm.decidingGeneration());
        if (list == null || algorithm == null || algorithm.sealedGeneration() <= life.sealedAtLastLook()) {
            return;
        }
        int known = algorithm.sealedGeneration();
        life.lookedAt(known);
        if (node.isReturned() && known > node.file().number()) {
            world.statistics().met(Situation.OLD_FILE_REFUSED);
        }
        Reading now = new Reading(node.clock().moment(), node.clock().wallMicros(world.now()));
        NodeView.Membership view = Objects.requireNonNull(algorithm.view(now).membership());
        MemberList decides = view.generation().number() == known
                ? view.generation().current()
                : Objects.requireNonNull(view.generation().previous());
        if (known > sealed) {
            if (world.checker().isAnythingBelieved(world.now())) {
                world.statistics().met(Situation.HELD_OVER_THE_SEAL);
            }
            sealed = known;
            list = decides;
            world.note(node.index(), "KNOWS THAT GENERATION " + known + " IS SEALED: " + decides.members());
            world.statistics().met(known > 2 ? Situation.SECOND_CHANGE_SEALED : Situation.SEALED);
            world.checker().decides(world.now(), byGenerations ? indexes(decides) : null);
        } else if (known == sealed && byGenerations && !decides.equals(list)) {
            throw new HistoryChecker.Violation("generation %d is sealed with %s and with %s, as n%d knows"
                    .formatted(known, list, decides, node.index()));
        }
    }

    /** Which file everybody is to be given in the end: of two contents the one that is sealed, and none before its time. */
    Generation lastFile() {
        Changes changes = Objects.requireNonNull(world.scenario().changes());
        Generation last = changes.lastFile();
        int number = byGenerations ? Math.min(last.number(), sealed + 1) : last.number();
        return changes.files().stream()
                .filter(file -> file.number() == number)
                .filter(file -> number > sealed
                        ? file.number() < last.number() || file.equals(last)
                        : file.current().equals(list))
                .findFirst()
                .orElse(last);
    }

    static int[] indexes(MemberList list) {
        return list.members().stream()
                .mapToInt(id -> Integer.parseInt(id.name().substring(1)))
                .toArray();
    }

    /**
     * An acceptor grants. The limit (section 9): one that has come back with a file from before a seal, and has not heard of the seal, is
     * a member of a cell that is over. From then on nothing is promised.
     */
    void grants(SimulatedNode node) {
        boolean isOver = node.isReturned() && node.file().number() < sealed;
        if (isOver
                && !beyondTheLimit
                && node.liveLife().sealedAtLastLook() <= node.file().number()) {
            beyondTheLimit = true;
            world.note(node.index(), "GRANTS UNDER A GENERATION THAT IS OVER, AND CANNOT KNOW");
            world.statistics().met(Situation.BEYOND_THE_LIMIT);
            world.checker().rest();
        }
    }
}
