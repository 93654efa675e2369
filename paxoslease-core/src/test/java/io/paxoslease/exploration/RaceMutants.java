package io.paxoslease.exploration;

import io.paxoslease.election.ElectionRaces;
import io.paxoslease.interleaving.Scenario;
import io.paxoslease.locks.LockRaces;
import io.paxoslease.node.LeaseRaces;
import io.paxoslease.node.NodeRaces;
import java.util.ArrayList;
import java.util.List;

/** Races, planted one at a time: production code in which threads that meet at the wrong moment go wrong. */
final class RaceMutants {

    private static final String TENURE = "locks/LockTenure.java";
    private static final String LEASE = "node/HeldLease.java";

    /** @param scenario in which threads meet there */
    record Case(Mutant mutant, Class<? extends Scenario> scenario) {

        @Override
        public String toString() {
            return mutant.toString();
        }
    }

    private final List<Case> all = new ArrayList<>();

    private RaceMutants() {
        mutex();
        locks();
        leases();
        nodes();
        elections();
    }

    static List<Case> all() {
        return new RaceMutants().all;
    }

    private void mutex() {
        add("R1", "upkeep begins on a check made before", LockRaces.Wanted.class)
                .change(
                        "locks/LockMutex.java",
                        "return compareAndSetState(FREE, UPKEEP);",
                        "if (getState() != FREE) { return false; } setState(UPKEEP); return true;");
        add("R2", "the mutex is taken on a check made before", LockRaces.Wanted.class)
                .change("locks/LockMutex.java", "if (compareAndSetState(FREE, 1)) {", "setState(1); if (true) {");
        add("R3", "threads that wait for a mutex that is retired are not let go", LockRaces.Forgotten.class)
                .change("locks/LockMutex.java", "        passOnRetirement();\n", "");
    }

    private void locks() {
        add(
                        "R4",
                        "the answer to what was asked ahead is looked at before the mutex is free",
                        LockRaces.WantedAtUnlock.class)
                .change(
                        TENURE,
                        "            asked = endAndAskAhead();\n        } finally {\n            mutex.endUpkeep();\n",
                        "            asked = endAndAskAhead();\n            seeTo(asked);\n        } finally {\n            mutex.endUpkeep();\n");
        add(
                        "R5",
                        "a thread that unlocks without what was asked ahead for it leaves it there",
                        LockRaces.AskedAheadInVain.class)
                .change(
                        "locks/LockState.java",
                        "        check(askedTtl);\n        mutex.lock();\n",
                        "        mutex.lock();\n")
                .change(
                        "locks/LockState.java",
                        "            tenure.leave();\n",
                        "            tenure.touch();\n            mutex.unlock();\n");
        add(
                        "R6",
                        "a thread that asks for a fixed time leaves what was asked ahead for it",
                        LockRaces.AskedAheadOtherwise.class)
                .change("locks/LockState.java", "        if (ahead != null) {\n", "        if (false) {\n");
        add("R7", "whether a lease is wanted is looked at before it is kept, not after", LockRaces.WantedAtOnce.class)
                .change(
                        TENURE,
                        "            mutex.unlock();\n            lookAfter(current, keepNanos);\n",
                        "            boolean wanted = current.isWanted();\n            mutex.unlock();\n            if (wanted) { lookAfter(current, keepNanos); }\n");
        add("R8", "a lease that was kept for a thread stays when that thread goes away", LockRaces.Withdrawn.class)
                .change("locks/LockState.java", "            tenure.lookAfterWithdrawal();\n", "");
        add("R9", "a lock is forgotten while its lease is on the way", LockRaces.ForgottenAhead.class)
                .change(
                        TENURE,
                        "isUnusedFor(unusedNanos) && (asked == null || asked.hasFailed());",
                        "isUnusedFor(unusedNanos);");
        add("R10", "forgetting a lock takes its successor along", LockRaces.Forgotten.class)
                .change("locks/LockStates.java", "byKey.remove(key, state);", "byKey.remove(key);");
        add("R11", "the interrupt of a hold is sent on a check made before", LockRaces.UnlockedAndLost.class)
                .change("locks/Hold.java", "private synchronized void interruptOwner", "private void interruptOwner");
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
                .change("node/AskedLease.java", "            answer.join().release();\n", "");
        add("R17", "a grant that meets a withdrawal is dropped by the table", LeaseRaces.Interrupted.class)
                .change("node/LeaseTable.java", "                lease.release();\n", "");
        add("R18", "a grant that meets a cancellation is dropped by the node", LeaseRaces.Cancelled.class)
                .change(
                        "node/RunningNode.java",
                        "} else if (!caller.complete(lease)) {\n                lease.release();\n",
                        "} else if (!caller.complete(lease)) {\n");
    }

    private void nodes() {
        add("R19", "a request that meets the stop is not answered", NodeRaces.AskedAndStopped.class)
                .change(
                        "node/RunningNode.java",
                        "        if (reason != null) {\n            table.failRequests",
                        "        if (false) {\n            table.failRequests");
        add("R20", "a pause that meets the stop does not end", NodeRaces.PausedAndStopped.class)
                .change(
                        "node/RunningNode.java",
                        "        table.awaitPause(id, end);\n        failIfOver();\n",
                        "        table.awaitPause(id, end);\n");
        add("R21", "two starts start two nodes", NodeRaces.StartedTwice.class)
                .change("PaxosLease.java", "public synchronized void start() {", "public void start() {");
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
                        "election/Candidacy.java",
                        "            if (isStopping()) {\n                mine.end",
                        "            if (false) {\n                mine.end");
        add("R25", "a thread that waits no more is interrupted all the same", ElectionRaces.ResignedAndStopped.class)
                .change("election/Candidacy.java", "        waiting = false;\n", "");
        add("R26", "a leadership ends for two reasons", ElectionRaces.ResignedAndLost.class)
                .change(
                        "election/ElectedTerm.java",
                        "        synchronized (this) {\n            if (end != null)",
                        "        synchronized (new Object()) {\n            if (end != null)");
        add("R27", "a call is let in on a check made before", ElectionRaces.EnteredAndResigned.class)
                .change("election/ElectedTerm.java", "synchronized boolean add(", "boolean add(");
        add("R28", "who waits for guarded calls does not hear of their end", ElectionRaces.LeftAndResigned.class)
                .change(
                        "election/ElectedTerm.java",
                        "        calls.remove(call);\n        notifyAll();",
                        "        calls.remove(call);");
        add("R29", "a stop forgets the election that was started again", ElectionRaces.StoppedAndStarted.class)
                .change(
                        "election/LeaderElection.java",
                        "            if (candidacy == null) {\n                subject.node().standsNoMore",
                        "            if (true) {\n                subject.node().standsNoMore");
        add("R30", "a guarded call is interrupted on a check made before", ElectionRaces.LeftAndResigned.class)
                .change("election/GuardedCall.java", "synchronized void interrupt()", "void interrupt()");
    }

    private Mutant add(String id, String title, Class<? extends Scenario> scenario) {
        Mutant mutant = new Mutant(id, title);
        all.add(new Case(mutant, scenario));
        return mutant;
    }
}
