package io.paxoslease.protocol.storage;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Effect.Denial;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Printable;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.ResourceTable;
import org.jspecify.annotations.Nullable;

/** Takes the store's answers, and what was read, to what they are for. An access that is not answered in time has failed. */
record AccessAnswers(
        Accesses accesses,
        AccessTimes times,
        AcquireFlow acquireFlow,
        RenewFlow renewFlow,
        ConflictDetector conflicts,
        ResourceTable<ResourceState> table) {

    /** An answer that takes the access bound or longer does not count. */
    private boolean isLate(ResourceState.Access access, Reading now) {
        return !now.moment().isBefore(access.startedAt().moment().plusNanos(accesses.rules.accessNanos()));
    }

    void failIfLate(ResourceState state, Reading now) {
        ResourceState.Access access = state.access;
        if (access != null && isLate(access, now)) {
            accesses.emit(times.unanswered(access.wrote() != null, now.moment()));
            fail(state, access, now);
        }
    }

    void hear(RegisterMessage.Answer answer, Reading now) {
        String failure = answer instanceof RegisterMessage.Failed failed ? failed.reason() : null;
        accesses.emit(times.ended(answer.access(), failure, now.moment()));
        ResourceState state = accesses.claimOf(answer.access());
        if (state == null || state.access == null) {
            return;
        }
        ResourceState.Access access = state.access;
        renewFlow.expire(state, now);
        if (state.access != null) { // else the tenure that it was for has ended by now
            if (isLate(access, now) || answer instanceof RegisterMessage.Failed) {
                fail(state, access, now);
            } else {
                state.access = null;
                take(state, access, answer, now);
            }
        }
        table.settle(state, now);
    }

    private void take(ResourceState state, ResourceState.Access access, RegisterMessage.Answer answer, Reading now) {
        if (answer instanceof RegisterMessage.Done done && access.wrote() != null) {
            written(state, access.wrote(), done.replaced(), now);
        } else if (answer instanceof RegisterMessage.Value value && access.wrote() == null) {
            if (access.ofRelease()) {
                acquireFlow.lookedAtRelease(state, lookAtRelease(state, value.content()), now);
            } else if (look(state, value.content(), now)) {
                read(state, access, value.content(), now);
            }
        } else {
            fail(state, access, now);
        }
    }

    private void written(ResourceState state, ResourceState.Attempt attempt, boolean replaced, Reading now) {
        if (attempt.request() != null) {
            acquireFlow.written(state, attempt, replaced, now);
        } else if (state.release != null) {
            renewFlow.released(state, state.release, attempt, replaced, now);
        } else if (state.tenure != null) {
            renewFlow.written(state, state.tenure, attempt, replaced, now);
        }
    }

    private void read(ResourceState state, ResourceState.Access access, @Nullable Content content, Reading now) {
        ResourceState.Attempt attempt = state.attempt;
        if (state.release != null) {
            renewFlow.lookedBeforeRelease(state, state.release, content, now);
        } else if (state.tenure != null && attempt != null) {
            renewFlow.checked(state, state.tenure, attempt, access, content, now);
        } else if (state.tenure != null) {
            renewFlow.looked(state, state.tenure, access, content, now);
        } else if (attempt != null) {
            acquireFlow.checked(state, attempt, access, content, now);
        } else {
            acquireFlow.looked(state, access, content, now);
        }
    }

    /** Notes what was read. Answers whether it can be gone by. */
    private boolean look(ResourceState state, @Nullable Content content, Reading now) {
        Stamp stamp;
        try {
            stamp = content == null ? null : StampCodec.decode(content);
        } catch (IllegalArgumentException e) {
            accesses.emit(new Effect.Notice(
                    Effect.Notice.Level.ERROR,
                    "The register of lease '%s' cannot be used: %s. Nothing is overwritten: remove it when no client uses it, or give the clients another place"
                            .formatted(Printable.name(state.resource), Printable.text(e.getMessage()))));
            table.denyAll(state, Denial.UNREADABLE);
            state.attempt = null;
            state.release = null;
            if (state.tenure != null) {
                renewFlow.lose(state, state.tenure, now);
            }
            return false;
        }
        if (state.seen.isBehind(accesses.rules, stamp)) {
            wentBack(state, stamp, now);
        }
        Moment before = state.seen.look(content, stamp, now.moment());
        state.seen.noteIfStanding(accesses.rules, now.moment());
        conflicts
                .notice(stamp, before, accesses.incarnation(), state.resource, now.moment())
                .forEach(problem -> accesses.emit(new Effect.Notice(Effect.Notice.Level.ERROR, problem)));
        Denial trouble = conflicts.denial(now.moment());
        if (trouble != null) {
            table.copy().forEach(each -> table.denyAll(each, trouble));
        }
        return true;
    }

    /** Others may hold by what the store has lost, and others may already have taken what it shows as free. */
    private void wentBack(ResourceState state, @Nullable Stamp stamp, Reading now) {
        String name = Printable.name(state.resource);
        long before = state.seen.highestSequence();
        String problem = null;
        if (stamp != null && !accesses.rules.compares()) {
            // One that was written long ago may have landed now.
            problem = conflicts.olderStamp(name, stamp, before, now.moment());
            state.seen.close(accesses.rules, now.moment());
        } else if (accesses.suspension.begins(state.seen.knownAt(), now.moment())) {
            problem = conflicts.lostWrites(name, stamp, before, now.moment());
        }
        accesses.emit(problem == null ? null : new Effect.Notice(Effect.Notice.Level.ERROR, problem));
        state.seen.hasGoneBack();
    }

    /** Notes what was read. Answers whether it has changed. What is none is as good as empty: the lease lapses. */
    private boolean lookAtRelease(ResourceState state, @Nullable Content content) {
        Stamp record = null;
        String wrong = null;
        try {
            record = content == null ? null : StampCodec.decode(content);
        } catch (IllegalArgumentException e) {
            wrong = e.getMessage();
        }
        boolean changed = state.seen.lookAtRelease(content, record);
        if (wrong != null && changed) {
            accesses.emit(new Effect.Notice(
                    Effect.Notice.Level.WARN,
                    "The release record of lease '%s' cannot be used: %s. The next release replaces it; until then the lease lapses"
                            .formatted(Printable.name(state.resource), Printable.text(wrong))));
        }
        return changed;
    }

    private void fail(ResourceState state, ResourceState.Access access, Reading now) {
        accesses.abandon(state);
        if (state.release != null) {
            renewFlow.releaseFailed(state, state.release, access, now);
        } else if (state.tenure != null) {
            renewFlow.failed(state, access, now);
        } else {
            acquireFlow.failed(state, now);
        }
    }
}
