package io.paxoslease.protocol.flease;

import io.paxoslease.protocol.LeaseView;
import io.paxoslease.protocol.LeaseView.State;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import org.jspecify.annotations.Nullable;

/**
 * Makes views of a node; changes nothing that matters.
 *
 * @param certain whether the node takes part: nothing is certain by a clock that may be out of bounds
 */
record Viewer(NodeId self, Proposer proposer, Registers registers, MajorityCache knowledge, boolean certain) {

    /** Null when nothing is known. */
    @Nullable
    LeaseView lease(String resource, Reading now) {
        ResourceState state = proposer.table().get(resource);
        if (state != null && state.tenure != null) {
            return held(resource, state.tenure, now);
        }
        State status = state == null || state.requests.isEmpty() ? State.KNOWN : State.WAITING;
        Stored here = registers.stored(resource);
        Stored decided = certain ? knowledge.certain(resource, here, now) : null;
        Value value = decided == null ? here.value() : decided.value();
        Value.Owner owner = value.owner();
        long left = (value.endMicros() - now.wallMicros()) * 1_000;
        if (owner != null && left > 0) {
            return new LeaseView(resource, status, owner.node(), 0, 0, left, 0, 0, decided != null);
        }
        return status == State.WAITING ? new LeaseView(resource, status, null, 0, 0, -1, 0, 0, false) : null;
    }

    private LeaseView held(String resource, Tenure tenure, Reading now) {
        long left = Math.max(0, now.moment().nanosUntil(tenure.until.moment()));
        return new LeaseView(resource, State.HELD, self, tenure.token, 0, left, tenure.renewals, 0, true);
    }
}
