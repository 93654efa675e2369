package io.paxoslease.node;

import io.paxoslease.Algorithm;
import io.paxoslease.protocol.flease.FleaseMessage;
import io.paxoslease.protocol.storage.RegisterMessage;
import java.util.List;

/**
 * What is measured of a node, over all its lives.
 *
 * @param observers told what it does
 * @param counts what goes through it
 * @param losses the last loss of each resource
 */
record Instruments(Observers observers, NodeCounts counts, Losses losses) {

    Instruments() {
        this(new NodeCounts());
    }

    private Instruments(NodeCounts counts) {
        this(new Observers(), counts, new Losses());
    }

    /** Counts the messages of the algorithm. */
    static Instruments of(Algorithm algorithm) {
        return switch (algorithm) {
            case PAXOSLEASE -> new Instruments();
            case FLEASE -> new Instruments(new NodeCounts(List.of(FleaseMessage.class)));
            case STORAGE ->
                new Instruments(new NodeCounts(List.of(RegisterMessage.Request.class, RegisterMessage.Answer.class)));
        };
    }
}
