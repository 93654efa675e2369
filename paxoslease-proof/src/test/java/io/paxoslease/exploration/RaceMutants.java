package io.paxoslease.exploration;

import io.paxoslease.election.ElectionRaces;
import io.paxoslease.interleaving.InterleavingScenario;
import io.paxoslease.locks.LockRaces;
import io.paxoslease.node.LeaseRaces;
import io.paxoslease.node.NodeRaces;
import java.util.ArrayList;
import java.util.List;

/** Races, planted one at a time: production code in which threads that meet at the wrong moment go wrong. */
final class RaceMutants {

    private static final String LOCK_LEASE = "locks/LockLease.java";
    private static final String LEASE = "node/HeldLease.java";

    /** @param scenario in which threads meet there */
    record Case(Mutant mutant, Class<? extends InterleavingScenario> scenario) {

        @Override
        public String toString() {
            return mutant.toString();
        }
    }

    private final List<Case> all = new ArrayList<>();

    private RaceMutants() {
        mutex();
        locks();
        takeovers();
        leases();
        nodes();
        elections();
    }

    static List<Case> all() {
        return new RaceMutants().all;
    }

    private void mutex() {
        add("R1", "maintenance begins on a check made before", LockRaces.Wanted.class)
                .change(
                        "locks/LockMutex.java",
                        "return compareAndSetState(FREE, MAINTENANCE);",
                        "if (getState() != FREE) { return false; } setState(MAINTENANCE); return true;");
        add("R2", "the mutex is taken on a check made before", LockRaces.Wanted.class)
                .change("locks/LockMutex.java", "if (compareAndSetState(FREE, 1)) {", "setState(1); if (true) {");
        add("R3", "threads that came during maintenance are not woken at its end", LockRaces.Forgotten.class)
                .change("locks/LockMutex.java", "release(MAINTENANCE);", "setState(FREE);");
    }

    private void locks() {
        add("R4", "the answer to a prefetched request is used before the mutex is free", LockRaces.WantedAtUnlock.class)
                .change(
                        LOCK_LEASE,
                        "            pending = endAndPrefetch();\n        } finally {\n            mutex.endMaintenance();\n",
                        "            pending = endAndPrefetch();\n            onPrefetched(pending);\n        } finally {\n            mutex.endMaintenance();\n");
        add(
                        "R5",
                        "a thread that leaves without the lease that was prefetched for it leaves it there",
                        LockRaces.AskedAheadInVain.class)
                .change(
                        "locks/KeyLock.java",
                        "            locks.checkLeaseTime(key, askedTime);\n            locked",
                        "            locked")
                .change("locks/KeyLock.java", "            mine.leave();\n", "            mine.mutex.unlock();\n");
        add(
                        "R6",
                        "a thread that asks for a fixed time leaves what was prefetched for it",
                        LockRaces.AskedAheadOtherwise.class)
                .change(
                        LOCK_LEASE,
                        "        if (pending != null) {\n            pending.withdraw",
                        "        if (false) {\n            pending.withdraw");
        add(
                        "R7",
                        "whether a lease is contended is checked before it is retained, not after",
                        LockRaces.WantedAtOnce.class)
                .change(
                        LOCK_LEASE,
                        "            mutex.unlock();\n            scheduleIdleRelease(current, idleRetentionNanos);\n",
                        "            boolean wanted = current.isWanted();\n            mutex.unlock();\n            if (wanted) { scheduleIdleRelease(current, idleRetentionNanos); }\n");
        add("R8", "a lease that was retained for a thread stays when that thread goes away", LockRaces.Withdrawn.class)
                .change("locks/KeyLock.java", "            lease.releaseIfContended();\n", "");
        add("R9", "the lease of an idle lock is given up on a check made before", LockRaces.Forgotten.class)
                .change(
                        LOCK_LEASE,
                        "            giveUpIfUnusedFor(nanos);\n        }\n    }\n\n    private",
                        "            end();\n        }\n    }\n\n    private");
        add(
                        "R9b",
                        "a lease that an unlock has prefetched is not claimed when its thread is gone",
                        LockRaces.ForgottenAhead.class)
                .change(LOCK_LEASE, "            onPrefetched(pending);\n        } else {", "        } else {");
        add("R10", "forgetting a collected lock takes its successor along", LockRaces.Collected.class)
                .change(
                        "locks/LeaseLocks.java",
                        "        if (lock == null) {\n            byKey.remove(key, reference);",
                        "        if (lock == null) {\n            byKey.remove(key);");
        add("R10b", "a new key gets two locks", LockRaces.Collected.class)
                .change(
                        "locks/LeaseLocks.java",
                        "            byKey.remove(key, present);\n            present = byKey.putIfAbsent(key, fresh.reference);",
                        "            byKey.put(key, fresh.reference);\n            present = null;");
        add("R11", "the interrupt of a hold is sent on a check made before", LockRaces.UnlockedAndLost.class)
                .change(
                        "locks/LockHold.java",
                        "private synchronized void interruptOwner",
                        "private void interruptOwner");
    }

    private void takeovers() {
        add("R31", "a lock is taken from a thread that has ended twice", LockRaces.Orphaned.class)
                .change("locks/OwnedLock.java", "if (lease != old) {", "if (false) {");
        add("R32", "a thread that was let in too late takes the mutex of a closed lease", LockRaces.Outlived.class)
                .change(LOCK_LEASE, "if (mutex.holds() == 1) {", "if (false) {");
        add("R33", "threads that wait for a closed lease are not woken by each other", LockRaces.Outlived.class)
                .change(LOCK_LEASE, "            mutex.wakeNext();\n", "");
    }

    private void leases() {
        add("R12", "a lease is extended on a check made before", LeaseRaces.ReleasedAndExtended.class)
                .change(LEASE, "synchronized void extend(", "void extend(");
        add(
                        "R13",
                        "a lease follows a shared deadline on a check made before",
                        LeaseRaces.ReleasedAndExtendedTogether.class)
                .change(LEASE, "synchronized void follow(", "void follow(");
        add("R14", "a lease is suspected on a check made before", LeaseRaces.LostAndSuspected.class)
                .change(LEASE, "synchronized void suspect(", "void suspect(");
        add("R15", "a listener is added on a check made before", LeaseRaces.ListenedAndLost.class)
                .change(
                        LEASE,
                        "        synchronized (this) {\n            reason = loss;\n",
                        "        synchronized (new Object()) {\n            reason = loss;\n");
        add("R16", "a grant that meets a withdrawal is dropped by the caller", LeaseRaces.Interrupted.class)
                .change("node/PendingLease.java", "                granted.release();\n", "");
        add("R16b", "of two leases that are granted to one caller the second is kept", LeaseRaces.EitherOfTwo.class)
                .change(
                        "node/PendingLease.java",
                        "                if (other != taken) {",
                        "                if (other != taken && other.granted() == null) {");
        add("R17", "a grant that meets a withdrawal is dropped by the table", LeaseRaces.Interrupted.class)
                .change("node/LeaseTable.java", "                lease.release();\n", "");
        add("R18", "a grant that meets a cancellation is dropped by the node", LeaseRaces.Cancelled.class)
                .change(
                        "node/OwedAnswer.java",
                        "value instanceof Lease lease && !isGiven(lease)",
                        "false && value instanceof Lease lease && !isGiven(lease)");
    }

    private void nodes() {
        add("R19", "a request that meets the stop is not answered", NodeRaces.AskedAndStopped.class)
                .change(
                        "node/NodeRuntime.java",
                        "        if (reason != null) {\n            table.failRequests",
                        "        if (false) {\n            table.failRequests");
        add("R20", "a pause that meets the stop does not end", NodeRaces.PausedAndStopped.class)
                .change(
                        "node/NodeRuntime.java",
                        "        table.awaitAnswer(id, end);\n        failIfOver();\n",
                        "        table.awaitAnswer(id, end);\n");
        add("R21", "two starts start two nodes", NodeRaces.StartedTwice.class)
                .change("node/NodeLifecycle.java", "synchronized void start() {", "void start() {");
    }

    private void elections() {
        add("R23", "an election begins to wait while it is stopped", ElectionRaces.WaitingAndStopped.class)
                .change(
                        "election/Candidacy.java",
                        "private synchronized boolean mayWait()",
                        "private boolean mayWait()");
        add(
                        "R24",
                        "a leadership that begins while its election is stopped does not end",
                        ElectionRaces.GrantedAndStopped.class)
                .change(
                        "election/CandidateRun.java",
                        "            if (stopping.getAsBoolean()) {\n                term.end",
                        "            if (false) {\n                term.end");
        add("R25", "a thread that no longer waits is still interrupted", ElectionRaces.ResignedAndStopped.class)
                .change("election/Candidacy.java", "        waiting = false;\n", "");
        add("R26", "a leadership ends for two reasons", ElectionRaces.ResignedAndLost.class)
                .change(
                        "election/ElectedTerm.java",
                        "        synchronized (this) {\n            if (end != null)",
                        "        synchronized (new Object()) {\n            if (end != null)");
        add("R27", "a call enters on a check made before", ElectionRaces.EnteredAndResigned.class)
                .change("node/TenureGuard.java", "synchronized boolean add(", "boolean add(");
        add("R28", "a thread that waits for guarded calls misses their end", ElectionRaces.LeftAndResigned.class)
                .change(
                        "node/TenureGuard.java",
                        "            parts.remove(part);\n            notifyAll();",
                        "            parts.remove(part);");
        add("R29", "a stop forgets the election that was started again", ElectionRaces.StoppedAndStarted.class)
                .change(
                        "election/LeaderElection.java",
                        "            if (candidacy == null) {\n                subject.node().contestNoMore(",
                        "            if (true) {\n                subject.node().contestNoMore(");
        add("R30", "a guarded call is interrupted on a check made before", ElectionRaces.LeftAndResigned.class)
                .change("node/TenureCall.java", "synchronized void end()", "void end()");
    }

    private Mutant add(String id, String title, Class<? extends InterleavingScenario> scenario) {
        Mutant mutant = new Mutant(id, title);
        all.add(new Case(mutant, scenario));
        return mutant;
    }
}
