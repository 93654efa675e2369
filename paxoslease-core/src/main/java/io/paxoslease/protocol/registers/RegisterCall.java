package io.paxoslease.protocol.registers;

import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.registers.MaxRegisterMessage.Request;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/** A request to the members, until a majority of them has answered. */
public final class RegisterCall {

    private final Request request;
    private final Set<NodeId> answered = new HashSet<>();
    private OptionalLong highest = OptionalLong.empty();

    public RegisterCall(Request request) {
        this.request = request;
    }

    public Request request() {
        return request;
    }

    /** A node that answers again, or is no member, does no harm. */
    public void answered(NodeId by, OptionalLong value) {
        answered.add(by);
        if (value.isPresent() && (highest.isEmpty() || highest.getAsLong() < value.getAsLong())) {
            highest = value;
        }
    }

    /** Whether that node has answered. */
    public boolean hasAnswered(NodeId node) {
        return answered.contains(node);
    }

    /** Whether a majority has answered. */
    public boolean isDecided(Quorum members) {
        long bits = 0;
        for (NodeId each : answered) {
            bits |= members.contains(each) ? 1L << members.indexOf(each) : 0;
        }
        return members.isMajority(bits);
    }

    /** The members that have not answered. */
    public List<NodeId> missing(Quorum members) {
        return members.acceptors().stream()
                .filter(each -> !answered.contains(each))
                .toList();
    }

    /** The highest value of all answers; empty: none had one. */
    public OptionalLong highest() {
        return highest;
    }
}
