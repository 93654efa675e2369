package io.paxoslease.spring.leader;

import io.paxoslease.election.LeaderElection;
import io.paxoslease.election.Leadership;
import io.paxoslease.protocol.Printable;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** @param leadership the leadership of this context; null if this node did not lead */
record ElectionContext(LeaderElection election, @Nullable Leadership leadership) implements LeaderContext {

    @Override
    public boolean isLeader() {
        return leadership != null && leadership.isLeader();
    }

    @Override
    public void yield() {
        if (leadership != null) {
            leadership.resign();
        }
    }

    @Override
    public String getRole() {
        return election.role();
    }

    @Override
    public Optional<String> leaderId() {
        return election.leaderId();
    }

    @Override
    public long fencingToken() {
        if (leadership == null) {
            throw new IllegalStateException(
                    "This node did not lead '%s', so there is no token".formatted(Printable.name(getRole())));
        }
        return leadership.fencingToken();
    }

    @Override
    public Duration remaining() {
        return leadership == null ? Duration.ZERO : leadership.remaining();
    }

    @Override
    public String toString() {
        String token = leadership == null ? "none" : Long.toString(leadership.fencingToken());
        return "LeaderContext{role=%s, isLeader=%s, fencingToken=%s}".formatted(getRole(), isLeader(), token);
    }
}
