package io.paxoslease.spring.leader;

import io.paxoslease.election.LeaderElection;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Contests one role while its runner is started and no obstacle stands against it. Thread-safe. */
final class RoleContest {

    /** Why a role is not contested although its runner is started. */
    enum Obstacle {
        APPLICATION_NOT_READY,
        HEALTH_GROUP_DOWN
    }

    private final Set<Obstacle> obstacles = EnumSet.noneOf(Obstacle.class);
    /** What to start when the last obstacle is gone; null while the runner is stopped. */
    private @Nullable LeaderElection wanted;

    /** Starts the election at once, or when the last obstacle is removed. */
    synchronized void start(LeaderElection election) {
        wanted = election;
        startUnlessBlocked();
    }

    /**
     * Revokes and releases leadership, and waits until that is done or the timeout is over.
     *
     * @return whether the candidate finished in time
     */
    boolean stop(LeaderElection election, Duration timeout) {
        synchronized (this) {
            wanted = null;
        }
        return election.stop(timeout); // without the lock: it may wait for code that needs the lock
    }

    /** Whether the runner is started. */
    synchronized boolean isStarted() {
        return wanted != null;
    }

    /**
     * Gives leadership up until the obstacle is removed. One thread at a time adds and removes the same obstacle.
     *
     * @return whether the candidate finished in time
     */
    boolean add(Obstacle obstacle, Duration timeout) {
        LeaderElection contested;
        synchronized (this) {
            obstacles.add(obstacle);
            contested = wanted;
        }
        return contested == null || contested.stop(timeout);
    }

    /** Lets leadership that is there go on; the next start waits until the obstacle is removed. */
    synchronized void addBeforeStart(Obstacle obstacle) {
        obstacles.add(obstacle);
    }

    synchronized void remove(Obstacle obstacle) {
        obstacles.remove(obstacle);
        startUnlessBlocked();
    }

    private void startUnlessBlocked() {
        if (wanted != null && obstacles.isEmpty()) {
            wanted.start();
        }
    }
}
