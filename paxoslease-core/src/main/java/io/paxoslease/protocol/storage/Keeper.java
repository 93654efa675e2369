package io.paxoslease.protocol.storage;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Effect.Loss;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Printable;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.storage.Claim.Access;
import io.paxoslease.protocol.storage.Claim.Attempt;
import io.paxoslease.protocol.storage.Claim.Phase;
import io.paxoslease.protocol.storage.Claim.Release;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How a client goes on holding a lease, confirms that it does, and gives it up. */
final class Keeper {

    private static final int MAX_RELEASES = 3;

    private final Accesses accesses;
    private final StorageRules rules;
    private final Contender contender;

    Keeper(Accesses accesses, Contender contender) {
        this.accesses = accesses;
        this.rules = accesses.rules;
        this.contender = contender;
    }

    /** Renews if it is time to. */
    void begin(Claim claim, Tenure tenure, Reading now) {
        if (claim.attempt != null) {
            accesses.read(claim, Phase.RENEW_CHECK, now);
        } else if (claim.isRenewalPressing() || (tenure.renewed && !now.moment().isBefore(tenure.renewAt))) {
            if (claim.doubt || accesses.needsCheck(tenure) || tenure.suspect) {
                accesses.read(claim, Phase.RENEW_LOOK, now);
            } else {
                write(claim, tenure, tenure.last.content(), now.moment(), now);
            }
        }
    }

    private void write(Claim claim, Tenure tenure, @Nullable Content expected, Moment lookedAt, Reading now) {
        Attempt attempt = accesses.renewal(claim, tenure, lookedAt, now);
        Moment latest = lookedAt.plusNanos(rules.accessNanos());
        if (!tenure.suspect) {
            latest = Moment.earlier(latest, tenure.until.moment());
        }
        accesses.put(claim, Phase.RENEW_WRITE, attempt, expected, latest, now);
    }

    void looked(Claim claim, Tenure tenure, Access access, @Nullable Content content, Reading now) {
        claim.doubt = false;
        if (isOurs(tenure, claim.seen.stamp())) {
            write(claim, tenure, content, access.startedAt().moment(), now);
        } else {
            accesses.emit(new Effect.Notice(
                    Effect.Notice.Level.ERROR,
                    "Lease '%s' is lost: another client has written into its register while it was held here, as '%s'"
                            .formatted(Printable.name(claim.resource), Printable.text(content))));
            lose(claim, tenure, now);
        }
    }

    private boolean isOurs(Tenure tenure, @Nullable Stamp stamp) {
        if (stamp == null) {
            return false;
        }
        return tenure.shared
                ? contender.shareWith(tenure.last.stamp(), stamp)
                : stamp.isOwnedBy(accesses.incarnation()) && stamp.token() == tenure.token;
    }

    void written(Claim claim, Tenure tenure, Attempt attempt, boolean replaced, Reading now) {
        if (!replaced) {
            claim.doubt = true;
            claim.next(Phase.RENEW_LOOK, now.moment());
        } else if (accesses.needsCheck(tenure)) {
            claim.attempt = attempt;
            claim.next(Phase.RENEW_CHECK, now.moment().plusNanos(rules.settleNanos()));
        } else {
            extend(claim, tenure, attempt, now);
        }
    }

    void checked(Claim claim, Tenure tenure, Attempt attempt, Access access, @Nullable Content content, Reading now) {
        claim.attempt = null;
        if (contender.holds(claim, attempt, content)) {
            extend(claim, tenure, attempt, now);
        } else {
            looked(claim, tenure, access, content, now);
        }
    }

    private void extend(Claim claim, Tenure tenure, Attempt attempt, Reading now) {
        tenure.extend(attempt);
        claim.next(Phase.RENEW_WRITE, now.moment());
        accesses.emit(new Effect.Extended(claim.resource, tenure.token, tenure.until, attempt.askedAt()));
        attempt.wishes().forEach(wish -> accesses.emit(new Effect.Renewed(wish.requestId(), true)));
        claim.renewals.removeAll(attempt.wishes());
    }

    void failed(Claim claim, Phase phase, Reading now) {
        if (phase == Phase.RENEW_WRITE) {
            claim.doubt = rules.compares();
        }
        claim.next(phase, now.moment().plusNanos(accesses.pollNanos() / 4));
    }

    /** The tenure ends without having been given up. */
    void lose(Claim claim, Tenure tenure, Reading now) {
        Loss reason = tenure.suspect ? Loss.SUSPENDED : Loss.EXPIRED;
        end(claim);
        accesses.abandon(claim);
        claim.next(Phase.LOOK, now.moment());
        accesses.emit(new Effect.Lost(claim.resource, tenure.token, reason));
    }

    private void end(Claim claim) {
        claim.renewals.forEach(wish -> accesses.emit(new Effect.Renewed(wish.requestId(), false)));
        claim.renewals.clear();
        claim.tenure = null;
        claim.attempt = null;
        claim.doubt = false;
    }

    /** The holder stopped using it before. */
    void giveUp(Claim claim, Tenure tenure, Reading now) {
        Attempt last = claim.attempt == null ? tenure.last : claim.attempt;
        claim.seen.givenUp(rules, now.moment());
        end(claim);
        if (!claim.isWriting()) {
            accesses.abandon(claim);
        }
        // Others may share it; and when its end is in doubt, nobody knows until when a write does no harm.
        if (!tenure.shared && (rules.compares() || !tenure.suspect)) {
            Moment latest = tenure.until.moment().plusNanos(-rules.boundNanos());
            claim.release = new Release(tenure.token, last, rules.compares() ? null : latest);
            claim.releases = 0;
            claim.next(Phase.RELEASE, now.moment());
        } else {
            accesses.abandon(claim);
            claim.next(Phase.LOOK, now.moment());
        }
    }

    void beginRelease(Claim claim, Release release, Reading now) {
        Moment latest = release.beginBy();
        if (claim.phase == Phase.RELEASE_LOOK) {
            accesses.read(claim, Phase.RELEASE_LOOK, now);
        } else if (latest == null || now.moment().isBefore(latest)) {
            claim.releases++;
            Attempt released = accesses.released(claim, release.last().stamp(), now);
            Moment soon = now.moment().plusNanos(rules.accessNanos());
            accesses.put(
                    claim,
                    Phase.RELEASE,
                    released,
                    release.last().content(),
                    latest == null ? soon : Moment.earlier(soon, latest),
                    now);
        } else {
            endRelease(claim, now);
        }
    }

    /** A renewal was under way when the lease was given up. */
    void writtenBeforeRelease(Claim claim, Release release, Attempt attempt, boolean replaced, Reading now) {
        claim.release = new Release(release.token(), replaced ? attempt : release.last(), release.beginBy());
        claim.next(replaced ? Phase.RELEASE : Phase.RELEASE_LOOK, now.moment());
    }

    void released(Claim claim, boolean replaced, Reading now) {
        if (replaced || claim.releases >= MAX_RELEASES) {
            endRelease(claim, now);
        } else {
            claim.next(Phase.RELEASE_LOOK, now.moment());
        }
    }

    /** By compare-and-set only: whatever came between, it was this client's, or it stays. */
    void lookedBeforeRelease(Claim claim, Release release, @Nullable Content content, Reading now) {
        Stamp stamp = claim.seen.stamp();
        if (stamp != null && stamp.isOwnedBy(accesses.incarnation()) && stamp.token() == release.token()) {
            Attempt found = new Attempt(stamp, Objects.requireNonNull(content), null, now, 0, now.moment(), List.of());
            claim.release = new Release(release.token(), found, null);
            claim.next(Phase.RELEASE, now.moment());
        } else {
            endRelease(claim, now);
        }
    }

    /** What only writes lets the lease lapse: a second write might come too late. */
    void releaseFailed(Claim claim, Phase phase, Reading now) {
        if (phase == Phase.RENEW_WRITE) {
            claim.next(rules.compares() ? Phase.RELEASE_LOOK : Phase.RELEASE, now.moment());
        } else if (rules.compares() && claim.releases < MAX_RELEASES) {
            claim.next(Phase.RELEASE_LOOK, now.moment().plusNanos(accesses.pollNanos()));
        } else {
            endRelease(claim, now);
        }
    }

    void endRelease(Claim claim, Reading now) {
        claim.release = null;
        claim.next(Phase.LOOK, claim.seen.afterOthers(now.moment()));
    }
}
