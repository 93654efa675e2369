package io.paxoslease.node;

import io.paxoslease.Algorithm;
import io.paxoslease.protocol.flease.FleaseMessage;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.protocol.registers.MaxRegisterMessage;
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

    /** Counts the messages of the algorithm. */
    static Instruments of(Algorithm algorithm) {
        NodeCounts counts =
                switch (algorithm) {
                    case PAXOSLEASE ->
                        new NodeCounts(List.of(
                                PaxosMessage.Request.class, PaxosMessage.Answer.class, MaxRegisterMessage.class));
                    case FLEASE -> new NodeCounts(List.of(FleaseMessage.class, MaxRegisterMessage.class));
                    case STORAGE ->
                        new NodeCounts(List.of(RegisterMessage.Request.class, RegisterMessage.Answer.class));
                };
        return new Instruments(new Observers(), counts, new Losses());
    }
}
