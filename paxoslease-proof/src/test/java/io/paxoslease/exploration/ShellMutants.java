package io.paxoslease.exploration;

import io.paxoslease.locks.LateReuse;
import io.paxoslease.node.BootedBesideTheLast;
import io.paxoslease.node.LateGrant;
import io.paxoslease.node.SharedEndOfOne;
import io.paxoslease.protocol.paxos.AsksTheLost;
import io.paxoslease.protocol.paxos.CopiedClient;
import io.paxoslease.protocol.paxos.DriftOfTheNext;
import io.paxoslease.protocol.paxos.FloorOfEachSeal;
import io.paxoslease.protocol.paxos.HoldersNote;
import io.paxoslease.protocol.paxos.JoinsTheRound;
import io.paxoslease.protocol.paxos.LateStandings;
import io.paxoslease.protocol.paxos.LeasesAtASeal;
import io.paxoslease.protocol.paxos.LeftBehind;
import io.paxoslease.protocol.paxos.ListOfItsOwn;
import io.paxoslease.protocol.paxos.NominatedRelease;
import io.paxoslease.protocol.paxos.ReachedLate;
import io.paxoslease.protocol.paxos.RenewalBehindHolder;
import io.paxoslease.protocol.paxos.SealHeardBefore;
import io.paxoslease.protocol.paxos.SealOfAClient;
import io.paxoslease.protocol.paxos.SealOfAStranger;
import io.paxoslease.protocol.paxos.SealOfTheGone;
import io.paxoslease.protocol.paxos.SealOfTheLate;
import io.paxoslease.protocol.paxos.SealOfThePaused;
import io.paxoslease.protocol.paxos.SeenLater;
import io.paxoslease.protocol.paxos.StrayWish;
import io.paxoslease.protocol.paxos.TwoContents;
import io.paxoslease.protocol.paxos.UnnoticedSuspend;
import io.paxoslease.protocol.paxos.WatchedByOne;
import io.paxoslease.simulation.ChangeSeedHunt;
import io.paxoslease.simulation.DecidedByOneList;
import io.paxoslease.simulation.LateRequester;
import io.paxoslease.simulation.SeedHunt;
import io.paxoslease.simulation.SuspendSeedHunt;
import io.paxoslease.testing.ClientOfOne;
import java.util.ArrayList;
import java.util.List;

/** The rows, and what was found here (F), whose rules no small world can show: who finds them out is a scenario or a seed. */
final class ShellMutants {

    private static final String CLAIM = "protocol/paxos/Claim.java";
    private static final String LEASE = "node/HeldLease.java";

    /**
     * @param mutant what is changed
     * @param hunter finds it out: a {@code Supplier} of what is wrong
     */
    record Case(Mutant mutant, Class<?> hunter) {

        @Override
        public String toString() {
            return mutant.toString();
        }
    }

    private final List<Case> all = new ArrayList<>();

    private ShellMutants() {
        Mutant toldFirst = inSimulation("21", "RELEASE is sent before the holder has stopped");
        toldFirst.change(LEASE, "        node.giveUp(this);\n", "").change(LEASE, "    public void release() {\n", """
                public void release() {
                    node.giveUp(this);
                    node.callbacks().run(this::stopRelying);
                }

                private void stopRelying() {
            """);
        inSimulation("23b", "the acceptor's clock is read too early: the time of the event before")
                .change(
                        "node/NodeRunner.java",
                        "    private void step(Event event) {\n        Reading now = clock.read();",
                        """
                            private Reading early;
                            private void step(Event event) {
                                Reading fresh = clock.read();
                                Reading now = event instanceof Event.Received && early != null ? early : fresh;
                                early = fresh;
                        """);
        inSimulation("30", "the deadline is only a timer's callback")
                .change(
                        LEASE,
                        "return trusted ? Math.max(0, remaining) : 0;",
                        "return guard.trusts(nanos, wallMicros) ? Math.max(1, remaining) : 0;");
        add("F1", "a tenure that only the wall clock ended is renewed", UnnoticedSuspend.class)
                .change(
                        "protocol/paxos/Tenures.java",
                        "} else if (tenure.isOverByWallClock(now)) {",
                        "} else if (false) {")
                .change(
                        "protocol/paxos/RenewalBatches.java",
                        "tenure.isOver(now) || tenure.isOverByWallClock(now)",
                        "tenure.isOver(now)");
        for (String id : List.of("N1", "N5", "N6")) { // those of small worlds, in whole cells under all faults
            all.add(new Case(Mutants.of(id), ChangeSeedHunt.class));
        }
        add("T5b", "a suspect tenure is confirmed with a proposal in flight", SuspendSeedHunt.class)
                .change("protocol/paxos/Tenures.java", "if (claim.lastCounter > tenure.counter) {", "if (false) {");
        add("O6b", "only the first seal of a life raises the floor", FloorOfEachSeal.class)
                .change("protocol/paxos/RequestHandler.java", "if (sealFloorOf != own &&", "if (sealFloorOf == 0 &&");
        add("B4", "a lease that has left a list is extended with it", LeftBehind.class)
                .change(
                        "protocol/paxos/RenewalBatch.java",
                        "        batchId = Extend.UNNUMBERED;\n        end = null;\n",
                        "        batchId = Extend.UNNUMBERED;\n");
        add("B5", "an extension of one lease moves the shared end", SharedEndOfOne.class)
                .change(LEASE, " && current.end().list() == LeaseEnd.OF_ONE;", ";");
        add("B6", "a lease that joins a batch during its round is extended by it", JoinsTheRound.class)
                .change(
                        "protocol/paxos/RenewalBatches.java",
                        "        gathering.remove(Kind.of(batch), batch); //",
                        "        //")
                .change("protocol/paxos/RenewalBatch.java", "        round = null; //", "        //");
        add("C4", "a cell of one that has clients skips the quarantine", ClientOfOne.class)
                .change(
                        "node/NodeAlgorithm.java",
                        "memoryLostAt == null || isAlone",
                        "generation.everyone().size() == 1");
        add("Q1", "the quarantine counts from the start of the process", BootedBesideTheLast.class)
                .change("node/SystemEnvironment.java", "tell(new Event.OtherLife(null, 0), opened);", "");
        inSimulation("Q2", "a process that booted while the last one served is silent from its own start on")
                .change(
                        "protocol/paxos/AcceptorRules.java",
                        "} else {\n            quarantineEnd = end;",
                        "} else {\n            quarantineEnd = known;");
        add("Q3", "another process that was seen after the quarantine changes nothing", SeenLater.class)
                .change(
                        "protocol/paxos/AcceptorRules.java",
                        "            quarantine(now);\n        } else {",
                        "        } else {");
        add("Q4", "an acceptor that serves keeps what may end later than its new silence", SeenLater.class)
                .change(
                        "protocol/paxos/AcceptorRules.java",
                        "            quarantine(now);\n        } else {",
                        "            quarantineEnd = end;\n        } else {");
        add("Q5", "any node is believed about another process", SeenLater.class)
                .change(
                        "protocol/paxos/Node.java",
                        "return seenBy == null || generations",
                        "return true || generations");
        add("C5", "a request counts for another record", StrayWish.class)
                .change(
                        "protocol/paxos/AnswerHandler.java",
                        "} else if (tenure != null && tenure.token <= wanted.counter() && wanted.counter() <="
                                + " tenure.counter) {",
                        "} else if (tenure != null) {");
        add("X1", "a note carries authority: a proposal with one replaces a live lease", HoldersNote.class)
                .change(
                        "protocol/paxos/AcceptorRules.java",
                        "        boolean live = slot.isLiveFor(now.moment());",
                        "        boolean live = request.note().isEmpty() && slot.isLiveFor(now.moment());");
        add("X2", "a note outlives its record", HoldersNote.class)
                .change(
                        "protocol/paxos/RecordNotes.java",
                        "        remove(place);\n        Text text",
                        "        if (!note.isEmpty()) {\n            remove(place);\n        }\n        Text text");
        add("Q14", "a nomination releases the lease", NominatedRelease.class)
                .change(
                        "protocol/paxos/Acceptor.java",
                        "        List<Candidate> waiting = notifier.waiting(",
                        "        release(from, new Release(request.resource(), request.incarnation(), request.counter()),"
                                + " request.node(), now, out);\n        List<Candidate> waiting = notifier.waiting(");
        add("Q15", "a release to a successor counts whichever node sends it", NominatedRelease.class)
                .change(
                        "protocol/paxos/RequestHandler.java",
                        "release(acceptor, from, to.release(), to.successor(), now);",
                        """
                        AcceptorSlot held = acceptor.live(to.release().resource(), now.moment());
                        NodeId owner = held == null || held.ownerNode == null ? from : held.ownerNode;
                        release(acceptor, owner, to.release(), to.successor(), now);
                        """);
        add("Q15b", "a successor is granted the lease without the rules of the acceptor", NominatedRelease.class)
                .change(
                        "protocol/paxos/WaiterNotifier.java",
                        "            Reply reply = proposal.take(next.node(), Objects.requireNonNull(next.proposal()),"
                                + " now);",
                        """
                                    Propose asked = Objects.requireNonNull(next.proposal());
                                    Reply reply = next.node().equals(successor)
                                            ? new Accepted(resource, asked.ballot(), asked.attempt())
                                            : proposal.take(next.node(), asked, now);
                        """);
        add("H4", "a client that may be a copy keeps its incarnation", CopiedClient.class)
                .change("protocol/paxos/Proposer.java", "        counterAdvice.renewIncarnation();\n", "");
        add("H4b", "a client that may be a copy keeps its leases", CopiedClient.class)
                .change(
                        "protocol/paxos/Node.java",
                        "        proposer.startOver(now);",
                        "if (acceptor != null) { proposer.startOver(now); }");
        add("N2f", "a seal counts members that have not answered since", SealOfTheGone.class)
                .change("protocol/paxos/Seal.java", "before && after && isThere ?", "before && after ?");
        add("N2g", "answers of members count for half the longest lease of both settings", SealOfTheGone.class)
                .change(
                        "protocol/paxos/Seal.java",
                        "previous.maxLeaseTime().toNanos() / 2",
                        "generation.longestLeaseNanos() / 2");
        add("N2h", "an acceptor counts as moved from when it was asked", SealOfTheLate.class)
                .change(
                        "protocol/paxos/Seal.java",
                        "standings.put(from, new Standing(boot, now, askedAt));",
                        "standings.put(from, new Standing(boot, askedAt, askedAt));");
        add("N2i", "an answer counts from its arrival", SealOfTheLate.class)
                .change("protocol/paxos/Seal.java", "known.until = ", "known.until = true ? now : ");
        add("N2j", "a process numbers its questions as the last one did", LateStandings.class)
                .change("protocol/paxos/GenerationPolls.java", "nonce = life.low() << BITS_FOR_NUMBERS;", "nonce = 0;");
        add("N10", "a seal of any node is believed", SealOfAStranger.class)
                .change("protocol/paxos/Generations.java", "isNext && (isListed || following.isConfirmed())", "isNext");
        add("N10b", "a member accepts members' messages of a client", SealOfAClient.class)
                .change(
                        "transport/ClientRequests.java",
                        "return message instanceof PaxosMessage.Request",
                        "return message instanceof PaxosMessage");
        add("N12", "an acceptor accepts another content", TwoContents.class)
                .change("protocol/paxos/OwnGeneration.java", "itsContent == content && ", "");
        add("N12b", "a proposer keeps asking the lists of a lost content", AsksTheLost.class)
                .change("protocol/paxos/Generations.java", " || !asks.equals(target);", ";");
        add("N17b", "the narrower bound on clocks is kept until an old member runs the next list", DriftOfTheNext.class)
                .change(
                        "protocol/paxos/Generations.java",
                        "next != null && mine.isFollowedBy(next) ?",
                        "next != null && following.isConfirmed() && mine.isFollowedBy(next) ?");
        add("N13", "an acceptor accepts a next generation of another list", ListOfItsOwn.class)
                .change("protocol/paxos/OwnGeneration.java", "isSealed() && follows;", "isSealed();");
        add("N14", "a starting member forgets the seal told by another configuration", SealHeardBefore.class)
                .change("protocol/ConfigurationGuard.java", "event.isSealed() && !serving", "false");
        add("N15", "the first node to know a seal uses the new list at once", LeasesAtASeal.class)
                .change(
                        "protocol/paxos/SealAwareness.java",
                        "boolean isKnown = sealed && isKnownToMajority(used);",
                        "boolean isKnown = sealed;");
        add("N18", "an urgent answer is not asked for sooner", ReachedLate.class)
                .change("protocol/paxos/GenerationPolls.java", "soon = SOON;", "soon = 0;");
        add(
                        "N16",
                        "an answer counts as fresh while the machine is paused, as the monotonic clock stands still",
                        SealOfThePaused.class)
                .change(
                        "protocol/paxos/Seal.java",
                        "standing.until.longestNanosUntil(now) <= freshNanos",
                        "standing.until.moment().nanosUntil(now.moment()) <= freshNanos");
        add("N17", "an acceptor that is not restarted keeps the narrower bound on clocks", DriftOfTheNext.class)
                .change(
                        "protocol/paxos/Generations.java",
                        "return timingAfter == null ? exclusion : Math.max(",
                        "return timingAfter == null || exclusion > 0 ? exclusion : Math.max(");
        add("G6", "a query whether an acceptor is silent makes it serve too early", SealHeardBefore.class)
                .change(
                        "protocol/ConfigurationGuard.java",
                        "return end == null || now.isBefore(end);",
                        "serving = end != null && !now.isBefore(end); return !serving;");
        add(
                        "N9",
                        "a holder releases what a failed renewal leaves, behind a holder of the next list",
                        RenewalBehindHolder.class)
                .change(
                        "protocol/paxos/AttemptDriver.java",
                        "if (isAcquired && attempt.yes.count() == 0",
                        "if (attempt.yes.count() == 0")
                .change(CLAIM, "    private ClaimState state =", """
                            @Nullable LateAnswers lateOfHolder; // which no state of a holder has
                            private ClaimState state =""")
                .change(
                        CLAIM,
                        "        become(new Idle(new LateAnswers(in(Asking.class).attempt(), until)));",
                        "lateOfHolder = new LateAnswers(attempt(), until); abandoned();")
                .change(
                        "protocol/paxos/Tenures.java",
                        "LateAnswers late = claim.state().lateAnswers();",
                        "LateAnswers late = claim.lateOfHolder;");
        add("M1", "a member keeps answering registers for the old list alone", LateRequester.class)
                .change(
                        "node/NodeRegisters.java",
                        "!taken.contain(request.mode())",
                        "!taken.contain(request.mode()) && request.mode().number() % 2 == 1");
        add("M2", "a register is decided by one list, while two decide on leases", DecidedByOneList.class)
                .change("node/NodeRegisters.java", "if (attempt.isDecided()) {", "if (attempt.isDecidedByOne()) {")
                .change("protocol/registers/RegisterCall.java", "    /** The highest value of all answers", """
                    public boolean isDecidedByOne() {
                        return members.isMajorityOfOneList(answered);
                    }

                    /** The highest value of all answers\
                    """);
        add("M3", "a member that has moved does not send its registers", DecidedByOneList.class)
                .change("node/NodeRegisters.java", "List.copyOf(reached).forEach(node -> tell(node, all));", "");
        add("V1", "a watcher believes one member", WatchedByOne.class)
                .change(
                        "protocol/watch/PrefixView.java",
                        "if (named != null && quorum.isMajority(votes(resource, record -> names(record, named)))) {",
                        "if (named != null) {");
        add("V2", "a view that no majority tells of is current", WatchedByOne.class)
                .change(
                        "protocol/watch/PrefixView.java",
                        "current = quorum.isMajority(votes(member -> true));",
                        "current = votes(member -> true) != 0;");
        all.addAll(FleaseMutants.all());
        add("32", "a lock is granted on a check made before a wait", LateGrant.class)
                .change("locks/KeyLock.java", "if (!granted.isHeld()) {", "if (false) {");
        add("32b", "a lock is granted on a kept lease without a check", LateReuse.class)
                .change("locks/KeyLock.java", "mutex.holds() != 1 || !retained.isHeld()", "mutex.holds() != 1");
    }

    static List<Case> all() {
        return new ShellMutants().all;
    }

    private Mutant inSimulation(String id, String title) {
        return add(id, title, SeedHunt.class);
    }

    private Mutant add(String id, String title, Class<?> hunter) {
        Mutant mutant = new Mutant(id, title);
        all.add(new Case(mutant, hunter));
        return mutant;
    }
}
