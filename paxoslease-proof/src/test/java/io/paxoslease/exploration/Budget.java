package io.paxoslease.exploration;

import java.util.Arrays;

/** How often each kind of thing may happen yet. */
final class Budget {

    private static final int RELEASE = 0;
    private static final int RENEW = 1;
    private static final int RESTART = 2;
    private static final int REPEAT = 3;
    private static final int SUSPECT = 4;
    private static final int WITHDRAW = 5;
    private static final int SET_BACK = 6;
    private static final int SLEEP = 7;
    private static final int ACQUIRE = 8;

    private final int horizon;
    private final byte[] left;

    Budget(Cell cell) {
        horizon = cell.horizon;
        left = new byte[ACQUIRE + cell.size()];
        left[RELEASE] = (byte) cell.releases;
        left[RENEW] = (byte) cell.renewals;
        left[RESTART] = (byte) cell.restarts;
        left[REPEAT] = (byte) cell.repetitions;
        left[SUSPECT] = (byte) cell.suspicions;
        left[WITHDRAW] = (byte) cell.withdrawals;
        left[SET_BACK] = (byte) cell.wallSteps;
        left[SLEEP] = (byte) cell.sleeps;
        for (int i = 0; i < cell.size(); i++) {
            left[ACQUIRE + i] = (byte) cell.acquires(i);
        }
    }

    private Budget(Budget other) {
        horizon = other.horizon;
        left = other.left.clone();
    }

    Budget after(Action action) {
        Budget result = new Budget(this);
        result.spend(action);
        return result;
    }

    boolean allowsRepetition() {
        return left[REPEAT] > 0;
    }

    Budget afterRepetition() {
        Budget result = new Budget(this);
        result.left[REPEAT]--;
        return result;
    }

    boolean allows(Action action, int time) {
        if (action instanceof Action.Tick) {
            return time < horizon;
        }
        int kind = kind(action);
        return kind < 0 || left[kind] > 0;
    }

    void spend(Action action) {
        int kind = kind(action);
        if (kind >= 0) {
            left[kind]--;
        }
    }

    /** Negative for what costs nothing. */
    private static int kind(Action action) {
        if (action instanceof Action.Acquire acquire) {
            return ACQUIRE + acquire.node();
        } else if (action instanceof Action.Release) {
            return RELEASE;
        } else if (action instanceof Action.Renew) {
            return RENEW;
        } else if (action instanceof Action.Restart) {
            return RESTART;
        } else if (action instanceof Action.Deliver deliver && deliver.stays()) {
            return REPEAT;
        } else if (action instanceof Action.Suspect) {
            return SUSPECT;
        } else if (action instanceof Action.Withdraw) {
            return WITHDRAW;
        } else if (action instanceof Action.SetBack) {
            return SET_BACK;
        } else if (action instanceof Action.Sleep) {
            return SLEEP;
        }
        return -1;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Budget budget && Arrays.equals(left, budget.left);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(left);
    }
}
