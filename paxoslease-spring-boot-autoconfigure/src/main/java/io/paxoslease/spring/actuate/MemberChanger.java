package io.paxoslease.spring.actuate;

import io.paxoslease.Membership;
import io.paxoslease.MembershipChange;
import io.paxoslease.MembershipChangeException;
import io.paxoslease.MembershipChangeException.Reason;
import io.paxoslease.NodeAdmin;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Changes the members on a thread of its own, one change at a time: a store that hangs holds up a request no longer than it wants to wait, and
 * one thread however many ask. Thread-safe.
 */
final class MemberChanger {

    private final NodeAdmin node;
    private @Nullable FutureTask<Membership> latest;

    MemberChanger(NodeAdmin node) {
        this.node = node;
    }

    /**
     * Changes the members.
     *
     * @throws MembershipChangeException also if another change still waits for the store, or this one does after that time
     */
    Membership change(MembershipChange change, Duration patience) {
        FutureTask<Membership> changing = begin(change);
        try {
            return changing.get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new MembershipChangeException(
                    Reason.STORE,
                    "The store of the members has not answered within %d ms, and may still store the change: look at what is stored before you ask again"
                            .formatted(patience.toMillis()),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MembershipChangeException(
                    Reason.STORE,
                    "Interrupted before the store of the members answered: look at what is stored before you ask again",
                    e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException refusal) {
                throw refusal;
            }
            throw new MembershipChangeException(
                    Reason.STORE, "The change failed: %s".formatted(e.getCause()), e.getCause());
        }
    }

    private synchronized FutureTask<Membership> begin(MembershipChange change) {
        FutureTask<Membership> before = latest;
        if (before != null && !before.isDone()) {
            throw new MembershipChangeException(
                    Reason.UNDER_WAY,
                    "Another change still waits for the store of the members: look at what is stored, and ask again if it is not what you want",
                    null);
        }
        FutureTask<Membership> changing = new FutureTask<>(() -> node.changeMembers(change));
        Thread thread = new Thread(changing, "paxoslease-membership-change");
        thread.setDaemon(true);
        thread.start();
        latest = changing;
        return changing;
    }
}
