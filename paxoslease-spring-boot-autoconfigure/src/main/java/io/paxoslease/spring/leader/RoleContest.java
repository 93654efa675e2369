package io.paxoslease.spring.leader;

import io.paxoslease.election.LeaderElection;
import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Contests one role while a runner of it is started and no obstacle stands against it. An application may declare several initiators of one
 * role, which compete. Thread-safe.
 */
final class RoleContest {

    /** Why a role is not contested although its runner is started. */
    enum Obstacle {
        APPLICATION_NOT_READY,
        HEALTH_GROUP_DOWN
    }

    private final Set<Obstacle> obstacles = EnumSet.noneOf(Obstacle.class);
    /** What to start when the last obstacle is gone: the elections of the runners that are started. */
    private final Set<LeaderElection> wanted = new LinkedHashSet<>();

    /** Starts the election at once, or when the last obstacle is removed. */
    synchronized void start(LeaderElection election) {
        wanted.add(election);
        startUnlessBlocked();
    }

    /**
     * Revokes and releases leadership, and waits until that is done or the timeout is over.
     *
     * @return whether the candidate finished in time
     */
    boolean stop(LeaderElection election, Duration timeout) {
        synchronized (this) {
            wanted.remove(election);
        }
        return election.stop(timeout); // without the lock: it may wait for code that needs the lock
    }

    synchronized boolean isStarted(LeaderElection election) {
        return wanted.contains(election);
    }

    /** Lets leadership that is there go on; the next start waits until the obstacle is removed. */
    synchronized void add(Obstacle obstacle) {
        obstacles.add(obstacle);
    }

    /**
     * Gives leadership up if {@link Obstacle#HEALTH_GROUP_DOWN} stands against it. If that is removed meanwhile, the role is contested again.
     *
     * @return whether the candidates finished in time
     */
    boolean giveUpUnhealthy(Duration timeout) {
        List<LeaderElection> contested;
        synchronized (this) {
            contested = obstacles.contains(Obstacle.HEALTH_GROUP_DOWN) ? List.copyOf(wanted) : List.of();
        }
        try {
            boolean inTime = true;
            for (LeaderElection election : contested) {
                inTime &= election.stopUnhealthy(timeout);
            }
            return inTime;
        } finally {
            startUnlessBlocked();
        }
    }

    synchronized void remove(Obstacle obstacle) {
        obstacles.remove(obstacle);
        startUnlessBlocked();
    }

    private synchronized void startUnlessBlocked() {
        if (obstacles.isEmpty()) {
            wanted.forEach(LeaderElection::start);
        }
    }
}
