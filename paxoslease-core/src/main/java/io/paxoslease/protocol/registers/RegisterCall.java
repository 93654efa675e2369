package io.paxoslease.protocol.registers;

import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.registers.MaxRegisterMessage.Request;
import java.util.List;
import java.util.OptionalLong;

/**
 * A request to the members of one mode, until a majority of them has answered. As of requests for leases, one attempt has one mode (R8): what
 * was answered in another one does not count, since a member may not have been told the registers of others by then.
 */
public final class RegisterCall {

    private final Request request;
    private final Quorum members;
    /** As bits by index. */
    private long answered;

    private OptionalLong highest = OptionalLong.empty();

    /** @param members those of the request's mode */
    public RegisterCall(Request request, Quorum members) {
        this.request = request;
        this.members = members;
    }

    public Request request() {
        return request;
    }

    /** A node that answers again does no harm, and one that is no member does not count. */
    public void answered(NodeId by, OptionalLong value) {
        if (!members.contains(by)) {
            return;
        }
        answered |= bit(by);
        if (value.isPresent() && (highest.isEmpty() || highest.getAsLong() < value.getAsLong())) {
            highest = value;
        }
    }

    /** Whether that node is a member that has not answered. */
    public boolean waitsFor(NodeId node) {
        return members.contains(node) && (answered & bit(node)) == 0;
    }

    private long bit(NodeId member) {
        return 1L << members.indexOf(member);
    }

    /** Whether a majority has answered, or one of each list. */
    public boolean isDecided() {
        return members.isMajority(answered);
    }

    /** The members that have not answered. */
    public List<NodeId> missing() {
        return members.acceptors().stream().filter(this::waitsFor).toList();
    }

    /** The highest value of all answers; empty: none had one. */
    public OptionalLong highest() {
        return highest;
    }
}
