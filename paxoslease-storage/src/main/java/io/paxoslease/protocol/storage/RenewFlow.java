package io.paxoslease.protocol.storage;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Effect.Loss;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Printable;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.storage.ResourceState.Access;
import io.paxoslease.protocol.storage.ResourceState.Attempt;
import io.paxoslease.protocol.storage.ResourceState.Release;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How a client goes on holding a lease, confirms that it does, and gives it up. */
final class RenewFlow {

    private static final int MAX_RELEASES = 3;

    private final Accesses accesses;
    private final StorageRules rules;

    RenewFlow(Accesses accesses) {
        this.accesses = accesses;
        this.rules = accesses.rules;
    }

    /** Renews if it is time to. */
    void begin(ResourceState state, Tenure tenure, Reading now) {
        if (state.attempt != null) {
            accesses.read(state, now);
        } else if (state.isRenewalPressing() || (tenure.renewed && !now.moment().isBefore(tenure.renewAt))) {
            if (state.doubt || accesses.needsCheck(tenure) || tenure.suspect) {
                accesses.read(state, now);
            } else {
                write(state, tenure, tenure.last.content(), now.moment(), now);
            }
        }
    }

    private void write(ResourceState state, Tenure tenure, @Nullable Content expected, Moment lookedAt, Reading now) {
        Attempt attempt = accesses.renewal(state, tenure, lookedAt, now);
        Moment latest = lookedAt.plusNanos(rules.accessNanos());
        if (!tenure.suspect) {
            latest = Moment.earlier(latest, tenure.until.moment());
        }
        accesses.put(state, attempt, expected, latest, now);
    }

    void looked(ResourceState state, Tenure tenure, Access access, @Nullable Content content, Reading now) {
        state.doubt = false;
        if (isOurs(tenure, state.seen.stamp())) {
            write(state, tenure, content, access.startedAt().moment(), now);
        } else {
            accesses.emit(new Effect.Notice(
                    Effect.Notice.Level.ERROR,
                    "Lease '%s' is lost: %s"
                            .formatted(
                                    Printable.name(state.resource),
                                    content == null
                                            ? "its register was emptied while it was held here. Its file or row was removed, or the store was replaced by another one"
                                            : "another client has written into its register while it was held here, as '%s'"
                                                    .formatted(Printable.text(String.valueOf(content)
                                                            .strip())))));
            lose(state, tenure, now);
        }
    }

    private boolean isOurs(Tenure tenure, @Nullable Stamp stamp) {
        if (stamp == null) {
            return false;
        }
        return tenure.shared
                ? rules.share(tenure.last.stamp(), stamp)
                : stamp.isOwnedBy(accesses.incarnation()) && stamp.token() == tenure.token;
    }

    void written(ResourceState state, Tenure tenure, Attempt attempt, boolean replaced, Reading now) {
        if (!replaced) {
            state.doubt = true;
            state.nextAt = now.moment();
        } else if (accesses.needsCheck(tenure)) {
            state.attempt = attempt;
            state.nextAt = now.moment().plusNanos(rules.settleNanos());
        } else {
            extend(state, tenure, attempt, now);
        }
    }

    void checked(
            ResourceState state,
            Tenure tenure,
            Attempt attempt,
            Access access,
            @Nullable Content content,
            Reading now) {
        state.attempt = null;
        if (attempt.stands(rules, state.seen.stamp(), content)) {
            extend(state, tenure, attempt, now);
        } else {
            looked(state, tenure, access, content, now);
        }
    }

    private void extend(ResourceState state, Tenure tenure, Attempt attempt, Reading now) {
        tenure.extend(attempt);
        state.seen.stored(rules, attempt.stamp(), now.moment());
        state.nextAt = now.moment();
        accesses.emit(new Effect.Extended(state.resource, tenure.token, tenure.until, attempt.askedAt()));
        attempt.wishes().forEach(wish -> accesses.emit(new Effect.Renewed(wish.requestId(), true)));
        state.renewals.removeAll(attempt.wishes());
    }

    void failed(ResourceState state, Access access, Reading now) {
        if (access.wrote() != null) {
            state.doubt = rules.compares();
        }
        state.nextAt = now.moment().plusNanos(accesses.pollNanos() / 4);
    }

    void expire(ResourceState state, Reading now) {
        if (state.tenure != null && state.tenure.isOver(now.moment())) {
            lose(state, state.tenure, now);
        }
    }

    /** The tenure ends without having been given up. */
    void lose(ResourceState state, Tenure tenure, Reading now) {
        Loss reason = tenure.suspect ? Loss.SUSPENDED : Loss.EXPIRED;
        end(state);
        accesses.abandon(state);
        state.nextAt = now.moment();
        accesses.emit(new Effect.Lost(state.resource, tenure.token, reason));
    }

    private void end(ResourceState state) {
        state.failRenewals(accesses.out);
        state.tenure = null;
        state.attempt = null;
        state.doubt = false;
    }

    /** The holder stopped using it before. */
    void giveUp(ResourceState state, Tenure tenure, Reading now) {
        Attempt last = state.attempt == null ? tenure.last : state.attempt;
        state.seen.givenUp(rules, now.moment());
        end(state);
        if (state.access != null && state.access.wrote() == null) {
            accesses.abandon(state);
        }
        // Others may share it.
        if (!tenure.shared) {
            state.release = new Release(tenure.token, last);
            state.releases = 0;
        } else {
            accesses.abandon(state);
        }
        state.nextAt = now.moment();
    }

    void beginRelease(ResourceState state, Release release, Reading now) {
        Attempt last = release.last();
        if (last == null) {
            accesses.read(state, now);
            return;
        }
        state.releases++;
        Attempt released = accesses.released(state, last.stamp(), now);
        if (rules.compares()) {
            accesses.put(state, released, last.content(), now.moment().plusNanos(rules.accessNanos()), now);
        } else {
            accesses.writeRelease(state, released, now);
        }
    }

    /** That, or a renewal that was under way when the lease was given up, has been written, or something came between. */
    void released(ResourceState state, Release release, Attempt wrote, boolean replaced, Reading now) {
        if (!wrote.isRenewal() && (replaced || state.releases >= MAX_RELEASES)) {
            if (!rules.compares()) {
                state.seen.lookAtRelease(wrote.content(), wrote.stamp());
            }
            endRelease(state, now);
        } else {
            state.release = new Release(release.token(), replaced ? wrote : null);
            state.nextAt = now.moment();
        }
    }

    /** By compare-and-set only: whatever came between, it was this client's, or it stays. */
    void lookedBeforeRelease(ResourceState state, Release release, @Nullable Content content, Reading now) {
        Stamp stamp = state.seen.stamp();
        if (stamp != null && stamp.isOwnedBy(accesses.incarnation()) && stamp.token() == release.token()) {
            Attempt found = new Attempt(stamp, Objects.requireNonNull(content), null, now, 0, now.moment(), List.of());
            state.release = new Release(release.token(), found);
            state.nextAt = now.moment();
        } else {
            endRelease(state, now);
        }
    }

    /** What only writes tries again, or releases the stamp before a renewal that failed: it is over too, if it still stands. */
    void releaseFailed(ResourceState state, Release release, Access access, Reading now) {
        boolean renewal = access.wrote() != null && access.wrote().isRenewal();
        if (!renewal && state.releases >= MAX_RELEASES) {
            endRelease(state, now);
            return;
        }
        if (rules.compares()) {
            state.release = new Release(release.token(), null);
        }
        state.nextAt = renewal ? now.moment() : now.moment().plusNanos(accesses.pollNanos());
    }

    void endRelease(ResourceState state, Reading now) {
        state.release = null;
        state.nextAt = state.seen.afterOthers(now.moment());
    }
}
