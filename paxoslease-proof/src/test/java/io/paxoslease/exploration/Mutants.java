package io.paxoslease.exploration;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** Every known way to get it wrong, under the numbers of docs/simulation.md. */
final class Mutants {

    private static final String ACCEPTOR = "protocol/paxos/AcceptorRules.java";
    private static final String SLOT = "protocol/paxos/AcceptorSlot.java";
    private static final String MESSAGE = "protocol/paxos/PaxosMessage.java";
    private static final String DRIVER = "protocol/paxos/AttemptDriver.java";
    private static final String TENURES = "protocol/paxos/Tenures.java";
    private static final String ROUND = "protocol/paxos/Round.java";
    private static final String ATTEMPT = "protocol/paxos/Attempt.java";
    private static final String TIMING = "protocol/Timing.java";
    private static final String BATCH = "protocol/paxos/RenewalBatch.java";
    private static final String COUNTERS = "protocol/paxos/Counters.java";

    private static final String QUEUE = "protocol/paxos/Acceptor.java";
    private static final String GUARD = "protocol/ConfigurationGuard.java";
    private static final String GENERATIONS = "protocol/paxos/Generations.java";
    private static final String OWN_GENERATION = "protocol/paxos/OwnGeneration.java";
    private static final String SEAL = "protocol/paxos/Seal.java";

    private final List<Mutant> all = new ArrayList<>();

    private Mutants() {
        overwriting();
        ownership();
        quorumsAndQuarantine();
        queues();
        ballotsAndReleases();
        deadlines();
        batches();
        tokens();
        changes();
        generations();
    }

    static List<Mutant> all() {
        return new Mutants().all;
    }

    static Mutant of(String id) {
        return all().stream().filter(mutant -> mutant.id.equals(id)).findFirst().orElseThrow();
    }

    private Mutant add(String id, String title, Consumer<Cell> bounds) {
        Mutant mutant = new Mutant(id, title);
        bounds.accept(mutant.cell);
        all.add(mutant);
        return mutant;
    }

    private static String times(int units) {
        return "time passes\n".repeat(units);
    }

    private static void prepareIgnoresLiveLeases(Mutant mutant) {
        mutant.change(
                ACCEPTOR,
                "if (slot.isLiveFor(now.moment()) && !slot.isOwnedBy(from, ballot.incarnation())) {",
                "if (false) {");
    }

    private static Mutant proposeOverwrites(Mutant mutant) {
        return mutant.change(
                        ACCEPTOR,
                        "boolean live = slot.isLiveFor(now.moment());",
                        "boolean live = slot.isLiveFor(now.moment()) && slot.isOwnedBy(from, ballot.incarnation());")
                .change(ACCEPTOR, "if (live && !slot.isOwnedBy(from, ballot.incarnation())) {", "if (false) {");
    }

    /** The repair that does not help: an own record is open only to the renewal that is based on it. */
    private static Mutant ownRecordsAreNotOpen(Mutant mutant) {
        return mutant.change(
                ACCEPTOR,
                "if (slot.isLiveFor(now.moment()) && !slot.isOwnedBy(from, ballot.incarnation())) {",
                "if (slot.isLiveFor(now.moment())) {");
    }

    /**
     * A renewal prepares before it proposes, as in the paper, and may end after the tenure that it is based on. Which record
     * that is, it says. That alone breaks no promise.
     */
    static Mutant renewsInTwoRounds(Mutant mutant) {
        return mutant.change(
                        MESSAGE,
                        "record Prepare(String resource, Ballot ballot, long attempt) implements Request {",
                        """
                        record Prepare(String resource, Ballot ballot, long attempt, long base) implements Request {
                            Prepare(String resource, Ballot ballot, long attempt) {
                                this(resource, ballot, attempt, Long.MIN_VALUE);
                            }
                        """)
                .change(
                        DRIVER,
                        "case RENEW -> context.broadcast(attempt.propose(QueueMode.NONE, counter, 0));",
                        "case RENEW -> context.broadcast(new PaxosMessage.Prepare(claim.resource, ballot, attempt.id, tenure.counter));")
                .change(ATTEMPT, ": prepares ? Phase.PREPARING", ": prepares || kind == Kind.RENEW ? Phase.PREPARING")
                .change(
                        TENURES,
                        "        if (tenure == null || (tenure.suspect && !tenure.isOver(now))) {",
                        "        if (tenure == null || claim.state() instanceof ClaimState.Renewing) {")
                .change(
                        "protocol/paxos/ClaimState.java",
                        "            return untilOr(attempt.hints.timeout());",
                        "            return attempt.hints.timeout();")
                .change(
                        "protocol/paxos/QueueAdvice.java",
                        "claim.turn().enqueuedCounter,",
                        "attempt.kind == Attempt.Kind.RENEW ? 0 : claim.turn().enqueuedCounter,")
                .change(
                        ACCEPTOR,
                        "if (slot.isLiveFor(now.moment()) && !slot.isOwnedBy(from, ballot.incarnation())) {",
                        "if (slot.isLiveFor(now.moment())"
                                + " && !(slot.isOwnedBy(from, ballot.incarnation()) && slot.isBase(request.base()))) {")
                .change(
                        SLOT,
                        "    boolean isAtLeastRecord(",
                        "    boolean isBase(long base) { return counter == base; }\n    boolean isAtLeastRecord(");
    }

    private void overwriting() {
        Mutant one = add("1", "an acceptor overwrites a live lease of another incarnation", cell -> {});
        prepareIgnoresLiveLeases(one);
        proposeOverwrites(one);
        Consumer<Cell> lateRenewals = cell -> {
            cell.proposers = 3;
            cell.wallOffsetsMillis = new int[] {0, 0, 0, 0, -90, 0};
            cell.leaseUnits = 4;
            cell.maxLeaseUnits = 4;
            cell.horizon = 8;
            cell.late = Set.of("3 Propose", "3 Release");
            cell.story(times(1) + "d acquires\n" + times(1) + "d renews\nd releases\n" + times(3) + "e acquires\n"
                    + times(1) + "f acquires");
        };
        renewsInTwoRounds(proposeOverwrites(add(
                "2", "overwriting, own records open to renewals only: a renewal over an overwritten grant", cell -> {
                    cell.proposers = 2;
                    cell.wallOffsetsMillis = new int[] {0, 0, -14, 5, -52};
                    cell.wallStepUnits = 6;
                    cell.leaseUnits = 4;
                    cell.maxLeaseUnits = 4;
                    cell.horizon = 8;
                    cell.late = Set.of("3 Propose 2", "3 Prepare 2");
                    cell.story("d acquires\nb restarts\nb is set back\n" + times(3) + "d renews\n" + times(1)
                            + "e acquires");
                })));
        ownRecordsAreNotOpen(proposeOverwrites(add(
                "3", "overwriting, own records open to renewals only: a release after a stale accept", lateRenewals)));
        proposeOverwrites(add("4", "overwriting, and own records open outside a renewal", cell -> {
            lateRenewals.accept(cell);
            cell.story(times(1) + "d acquires\n" + times(1) + "d renews\nd releases\n" + times(3) + "e acquires\n"
                    + times(1) + "d acquires");
        }));
        proposeOverwrites(add("5", "overwriting, and the timer started at the prepare quorum", cell -> {
                    cell.wallOffsetsMillis = new int[] {0, 0, -60};
                    cell.horizon = 6;
                    cell.story("a acquires\nb restarts\nc acquires");
                }))
                .change(DRIVER, "kind == Kind.ACQUIRE && claim.isContended();", "kind == Kind.ACQUIRE;")
                .change(ROUND, "    final Reading until;", "    Reading until;")
                .change(DRIVER, "attempt.startProposing();", "attempt.startProposing(now);")
                .change(ATTEMPT, "void startProposing() {", "void startProposing(Reading now) {")
                .change(
                        ATTEMPT,
                        "        phase = Phase.PROPOSING;",
                        "        phase = Phase.PROPOSING; until = now.plusNanos(leaseNanos);")
                .change(ATTEMPT, "    Phase phase() {", """
                            @Override boolean hasQuorumBeforeDeadline(Reading now) {
                                return yes.isMajority()
                                    && (phase == Phase.PREPARING || now.moment().isBefore(until.moment()));
                            }
                            Phase phase() {""")
                .change(
                        ACCEPTOR,
                        "        floor = Math.max(floor, now.wallMicros());\n        slots = new",
                        "slots = new")
                .change(ACCEPTOR, "            floor = now.wallMicros();\n", "");
    }

    private static Mutant ownedByNode(Mutant mutant) {
        return mutant.change("protocol/Incarnation.java", "public record Incarnation(long high, long low) {", """
                public record Incarnation(long high, long low) {
                    @Override public boolean equals(Object other) { return other instanceof Incarnation i && i.high == high; }
                    @Override public int hashCode() { return Long.hashCode(high); }
                """);
    }

    private static Mutant releasesExactly(Mutant mutant) {
        return mutant.change(SLOT, "counter > upToCounter) {", "counter != upToCounter) {");
    }

    private static void restarting(Cell cell) {
        cell.proposers = 2;
        cell.horizon = 3;
        cell.story("d acquires\nd releases\nd restarts\nd acquires\ne acquires");
    }

    private void ownership() {
        releasesExactly(ownedByNode(add("6", "ownership by node, exact release", Mutants::restarting)));
        ownedByNode(add("7", "ownership by node, release up to a counter", Mutants::restarting));
        add("8", "release matches the owner and ignores the ballot", cell -> {
                    cell.acquires = new int[] {2, 0, 1};
                    cell.releases = 1;
                })
                .change(
                        SLOT,
                        "!isOwnedBy(from, incarnation) || counter > upToCounter",
                        "!isOwnedBy(from, incarnation)");
        add("19", "the incarnation is kept over a restart", Mutants::restarting).cell.keepsIncarnation = true;
        Mutant shared = add("20", "an incarnation is shared by two nodes, and alone makes an owner", cell -> {});
        shared.cell.sharesIncarnation = true;
        shared.change(SLOT, "incarnation.equals(owner) && node.equals(ownerNode)", "incarnation.equals(owner)");
    }

    private static final String DROP_RECORD = """
            AcceptorSlot dropped = waiters.isWanted(resource, now) ? live(resource, now.moment()) : null;
            if (dropped != null) {
                rules.release(dropped.ownerNode, new Release(resource, dropped.owner, dropped.counter), now);
                serveQueue(resource, null, true, now, out);
            }
            """;

    private void queues() {
        add("C2", "a queue is served at the end of a record that has been renewed", cell -> {
                    cell.acceptors = 1;
                    cell.proposers = 2;
                    cell.attempts = 9;
                    cell.leaseUnits = 3;
                    cell.maxLeaseUnits = 3;
                    cell.horizon = 9;
                    cell.renewed = true;
                    cell.story(times(1) + "b acquires\n" + times(1) + "c acquires\n" + times(6));
                })
                .change(
                        QUEUE,
                        "            if (waiters.isWanted(resource, now) && live(resource, now.moment()) == null) {",
                        DROP_RECORD + "if (waiters.isWanted(resource, now) && live(resource, now.moment()) == null) {");
        add("C3", "an expired record serves two", cell -> {
                    cell.acceptors = 1;
                    cell.proposers = 3;
                    cell.attempts = 3;
                    cell.leaseUnits = 3;
                    cell.maxLeaseUnits = 3;
                    cell.horizon = 9;
                    cell.story(times(1) + "b acquires\n" + times(1) + "c acquires\nd acquires\n" + times(5));
                })
                .change(
                        QUEUE,
                        "                serveQueue(resource, null, true, now, out);",
                        "serveQueue(resource, null, true, now, out);" + DROP_RECORD);
    }

    private void quorumsAndQuarantine() {
        add("9", "a quorum counts messages instead of distinct acceptors", cell -> {
                    cell.proposers = 2;
                    cell.acquires = new int[] {0, 0, 0, 1, 1};
                    cell.repetitions = 2;
                })
                .change(
                        "protocol/paxos/AcceptorSet.java",
                        "private long voters;",
                        "private long voters; private int messages;")
                .change(
                        "protocol/paxos/AcceptorSet.java",
                        "voters |= 1L << quorum.indexOf(acceptor);",
                        "voters |= 1L << quorum.indexOf(acceptor); messages++;")
                .change("protocol/paxos/AcceptorSet.java", "        voters = 0;", "        voters = 0; messages = 0;")
                .change(
                        "protocol/paxos/AcceptorSet.java",
                        "return quorum.isMajority(voters);",
                        "return messages >= quorum.majority();");
        add("C1", "a client's answer counts as a vote", cell -> {
                    cell.proposers = 2;
                    cell.acquires = new int[] {0, 0, 0, 1, 1};
                })
                .change("protocol/Quorum.java", "return index.containsKey(node);", "return true;")
                .change(
                        "protocol/paxos/Node.java",
                        "this.acceptor = generation.everyone().contains(self)",
                        "this.acceptor = true")
                .change(
                        "protocol/Quorum.java",
                        "            throw new IllegalArgumentException(acceptor + \" is no acceptor of this cell\");",
                        "            return index.size() - 1;")
                .change(
                        "protocol/paxos/ProposerContext.java",
                        "    void send(Message message, Predicate<NodeId> chosen) {\n",
                        """
                            void send(Message message, Predicate<NodeId> chosen) {
                                if (!quorum().acceptors().contains(self)) {
                                    out.send(self, message);
                                }
                        """);
        Consumer<Cell> oneRestart = cell -> {
            cell.story("a acquires\nb restarts\nc acquires");
            cell.leaseUnits = 3;
            cell.maxLeaseUnits = 3;
            cell.wallOffsetsMillis = new int[] {0, -1, 0};
            cell.horizon = 8;
        };
        String quarantine = "this.quarantineEnd = quarantineEnd;";
        String shorter = "this.quarantineEnd = quarantineEnd == null ? null : quarantineEnd.plusNanos(-%s);";
        add("10", "the quarantine is one unit short", oneRestart)
                .change(ACCEPTOR, quarantine, shorter.formatted("10_000_000"));
        add("11", "no quarantine", oneRestart)
                .change(ACCEPTOR, quarantine, shorter.formatted("timing().quarantineNanos()"));
        add("24", "the quarantine is shorter than the longest lease", cell -> {
                    oneRestart.accept(cell);
                    cell.leaseUnits = 4;
                    cell.maxLeaseUnits = 4;
                })
                .change(ACCEPTOR, quarantine, shorter.formatted("timing().exclusionNanos(20_000_000)"));
        add("28", "frames of another configuration are accepted", cell -> {
                    cell.acceptors = 5;
                    cell.members = new int[][] {{0, 1, 2}, {0, 1, 2}, {0, 1, 2}, {2, 3, 4}, {0, 1, 2}};
                    cell.acquires = new int[] {1, 0, 0, 1, 0};
                })
                .change("transport/Admission.java", "if (!isMember(theirs, from)) {", "if (from.equals(self)) {")
                .change("transport/Admission.java", "return judgeConfiguration(theirs, from);", "return null;");
    }

    private void ballotsAndReleases() {
        Consumer<Cell> retrying = cell -> {
            cell.leaseUnits = 4;
            cell.maxLeaseUnits = 4;
            cell.horizon = 8;
            cell.story("a acquires\na withdraws\na acquires\nc acquires");
        };
        Consumer<Cell> renewing = cell -> {
            cell.renewals = 1;
            cell.leaseUnits = 4;
            cell.maxLeaseUnits = 4;
            cell.horizon = 8;
        };
        add("12", "accept without comparing ballots inside one incarnation", retrying)
                .change(SLOT, "return ballotCounter >= counter;", "return true;");
        String abandon = "if (claim.tenure() == null && attempt.mayHaveRecords()) {";
        add("13", "releasing a failed renewal while its base is held", renewing)
                .change(TENURES, abandon, "if (attempt.mayHaveRecords()) {");
        releasesExactly(add("14", "the same with exact release", renewing)
                .change(TENURES, abandon, "if (attempt.mayHaveRecords()) {"));
        String inFlight = "        queue.onRefusal(attempt, from, reply);";
        String released = inFlight
                + " if (claim.tenure() == null && attempt.mayHaveRecords()) {"
                + " context.broadcast(new PaxosMessage.Release(claim.resource, claim.incarnation, attempt.ballot.counter())); }";
        add("15", "releasing an attempt still in flight", retrying).change(DRIVER, inFlight, released);
        releasesExactly(add("16", "the same with exact release", retrying).change(DRIVER, inFlight, released));
        add("22", "answers are counted after abandoning", retrying)
                .change(ATTEMPT, "return reply.attempt() == id && reply.ballot().equals(ballot);", "return true;");
        add("26", "an extension is acknowledged by any live record of the incarnation", cell -> {
                    retrying.accept(cell);
                    cell.renewed = true;
                    cell.late = Set.of("0 Propose", "0 Release");
                    cell.story(times(1) + "a acquires\na withdraws\na acquires\n" + times(2) + "a suspects its clocks\n"
                            + times(2) + "c acquires");
                })
                .change(
                        SLOT,
                        "!isOwnedBy(from, incarnation) || counter < lowestCounter",
                        "!isOwnedBy(from, incarnation)");
        add("27", "a counter is lowered within an incarnation", cell -> {
                    retrying.accept(cell);
                    cell.wallStepUnits = 1;
                    cell.story("a acquires\na withdraws\na is set back\na acquires\nc acquires");
                })
                .change(
                        "protocol/paxos/CounterAdvice.java",
                        "return counters.next(claim, Math.max(wall, Math.max(claim.learnt(), highestPromised) + 1));",
                        "return counters.next(claim, wall);")
                .change(
                        COUNTERS,
                        "long next = Math.max(atLeast, Math.max(claim.lastCounter, highestRetired) + 1);",
                        "long next = atLeast;")
                .change(
                        COUNTERS,
                        "Invariants.check(next > claim.lastCounter, \"counters strictly increase\", claim.resource);",
                        "");
    }

    private void deadlines() {
        Consumer<Cell> plain = cell -> cell.horizon = 6;
        add("17", "the deadline is started at activation", plain)
                .change(ROUND, "    final Reading until;", "    Reading until;")
                .change(
                        DRIVER,
                        "            activate(claim, attempt, now);",
                        "attempt.until = now.plusNanos(attempt.leaseNanos); activate(claim, attempt, now);");
        add("18", "resending with a new deadline under the same attempt", plain)
                .change(ROUND, "    final Reading until;", "    Reading until;")
                .change(DRIVER, "fail(claim, attempt, attempt.hints.isRefused(), now);", """
                        Attempt again = attempt;
                        again.until = now.plusNanos(again.leaseNanos);
                        again.hints.followsNone(again.until.moment());
                        context.broadcast(again.phase() == Attempt.Phase.PREPARING
                                ? new PaxosMessage.Prepare(claim.resource, again.ballot, again.id)
                                : new PaxosMessage.Propose(claim.resource, again.ballot, again.leaseNanos, again.id));
                        """);
        add("23", "the drift is left out of the acceptor's exclusion", cell -> {
                    cell.gamma = 2;
                    cell.rates = new int[] {1, 2, 2};
                    cell.horizon = 8;
                })
                .change(
                        TIMING,
                        "return scaled(leaseNanos, 1 + drift, 1 - drift, RoundingMode.CEILING);",
                        "return leaseNanos;");
        add("25", "a renewal with a shorter time shortens the exclusion", cell -> {
                    cell.leaseUnits = 3;
                    cell.maxLeaseUnits = 3;
                    cell.renewalUnits = 1;
                    cell.renewals = 1;
                })
                .change(
                        SLOT,
                        "deadline = (renewal ? Moment.later(new Moment(deadline), until) : until).nanos();",
                        "deadline = until.nanos();");
        add("31", "deadlines are compared without regard to the wrap of the clock", cell -> {
                    cell.origins = new long[] {0, Long.MAX_VALUE - 3 * Cell.UNIT, Long.MAX_VALUE - 3 * Cell.UNIT};
                })
                .change(SLOT, "now.isBefore(new Moment(deadline))", "now.nanos() < deadline");
    }

    private static void renewed(Cell cell, int leaseUnits, int asksAt) {
        cell.renewed = true;
        cell.leaseUnits = leaseUnits;
        cell.maxLeaseUnits = leaseUnits;
        cell.horizon = asksAt + leaseUnits / 2;
        cell.attempts = 4;
        cell.story("a acquires\n" + times(asksAt) + "c acquires");
    }

    /** Renewals in batches. */
    private void batches() {
        add("B1", "the deadline of a batch is started when a majority has answered", cell -> {
                    renewed(cell, 6, 9);
                    cell.late = Set.of("1 Extended 0");
                })
                .change(ROUND, "    final Reading until;", "    Reading until;")
                .change(
                        BATCH,
                        "        renewAt = Backoff.renewal(current.startedAt(), leaseNanos);",
                        "        renewAt = Backoff.renewal(current.startedAt(), leaseNanos);"
                                + " current.until = now.plusNanos(leaseNanos);");
        add("B2", "answers to an earlier round of a batch count", cell -> {
                    renewed(cell, 12, 18);
                    cell.late = Set.of("1 Extended 0");
                    cell.story("a acquires\n" + times(4) + "a wakes\n" + times(1) + "a wakes\n" + times(2) + "a wakes\n"
                            + times(2) + "a wakes\n" + times(9) + "c acquires");
                })
                .change(
                        "protocol/paxos/RenewalRounds.java",
                        "        byAttempt.remove(batch.attempt());\n        batch.begin(",
                        "batch.begin(")
                .change(BATCH, "                || extended.attempt() != current.id\n", "");
        add("B3", "a lease missing at an acceptor counts as extended", cell -> renewed(cell, 6, 6))
                .change(
                        BATCH,
                        "for (int position : extended.missing()) {",
                        "for (int position : List.<Integer>of()) {");
    }

    /** A configuration that is changed by restarts, one after the other. */
    private void changes() {
        Consumer<Cell> threeToFive = cell -> {
            Bounds.three(cell);
            cell.horizon = 6;
        };
        add("G1", "an acceptor serves before its check has ended", Bounds::newcomers)
                .change(GUARD, "lookUntil = now.plusNanos(lookAroundNanos);", "lookUntil = now;");
        add("G2", "an acceptor serves despite another configuration", threeToFive)
                .change(GUARD, "return end == null || now.isBefore(end);", "return false;");
        add("G3", "an acceptor serves as soon as another configuration has no majority", cell -> {
                    threeToFive.accept(cell);
                    cell.wallOffsetsMillis =
                            new int[] {0, -1}; // so that its floor is no more than the ballots of others
                    cell.story("b restarts\n" + times(3) + "a acquires\nc restarts\ne acquires");
                })
                .change(GUARD, "return Math.max(silenceNanos, other.silenceNanos());", "return 0;");
        add("G4", "another configuration counts only while all of its members may run it", threeToFive)
                .change(
                        GUARD,
                        "return strangers(other).size() > other.members().size() / 2;",
                        "return strangers(other).size() >= other.members().size();");
        add("G5", "the silence uses the own, shorter longest lease", cell -> {
                    Bounds.shorterMaximum(cell);
                    cell.story("c acquires\na restarts\nb restarts\n" + times(2) + "a acquires");
                })
                .change(GUARD, "return Math.max(silenceNanos, other.silenceNanos());", "return silenceNanos;");
    }

    /** Section 9, R1 to R8. The names are those of the runs of a model that found two holders without the rule. */
    private void generations() {
        add("N1", "a generation counts as sealed from the start", Bounds::oneBecomesAnother)
                .change(GENERATIONS, "own.previous() == null ? own.number() : 0;", "own.number();");
        add("N2", "a seal does not age", Mutants::besideDeafGuest).change(SEAL, ">= ageNanos;", ">= 0;");
        add("N2c", "a seal ages by one unit too little", cell -> {
                    besideDeafGuest(cell);
                    cell.leaseUnits = 2;
                    cell.maxLeaseUnits = 2;
                    cell.horizon = 6;
                })
                .change(SEAL, ">= ageNanos;", ">= ageNanos - 10_000_000L;");
        add("N2d", "a seal does not notice that a member went back", cell -> {
                    besideDeafGuest(cell);
                    cell.proposers = 2;
                    cell.deaf = Set.of(3);
                    cell.leaseUnits = 2;
                    cell.maxLeaseUnits = 2;
                    cell.horizon = 7;
                    cell.wallOffsetsMillis =
                            new int[] {-1, 0, 1}; // so that counters are above the floors of the same moment
                    cell.story("a restarts\n" + times(1) + "a restarts\n" + times(2)
                            + "d acquires\na restarts\nc acquires");
                })
                .change(SEAL, "known == null || !known.boot.equals(boot)", "known == null")
                .change(SEAL, "standings.remove(from);", "return;");
        add("N2e", "a seal does not age where members move while they run", Mutants::besideDeafGuestLive)
                .change(SEAL, ">= ageNanos;", ">= 0;");
        add("N3b", "an acceptor that has moved accepts the previous list's mode", Mutants::besideDeafGuestLive)
                .change(
                        OWN_GENERATION,
                        "return isNext || (",
                        "return mode == Quorum.alone(own.number() - 1) || isNext || (");
        add("N3", "an acceptor accepts the previous list's mode", Mutants::besideDeafGuest)
                .change(
                        OWN_GENERATION,
                        "return isNext || (",
                        "return mode == Quorum.alone(own.number() - 1) || isNext || (");
        add("N4", "an acceptor accepts any mode", Mutants::besideDeafGuest)
                .change(
                        "protocol/paxos/RequestHandler.java",
                        "} else if (generations.own().takes(mode, content)) {",
                        "} else if (mode > 0) {");
        add("N5", "a seal counts the new list", cell -> {
                    besideDeafGuest(cell);
                    cell.deaf = Set.of(0);
                    cell.acquires = new int[] {1, 0, 1};
                    cell.wallOffsetsMillis = new int[] {0, 0, 1};
                })
                .change(SEAL, "new Quorum(previous.members())", "new Quorum(generation.current().members())");
        add("N6", "until the seal the new list decides alone", Bounds::oneBecomesAnother)
                .change(
                        "protocol/Generation.java",
                        "before.members(), current.members())",
                        "current.members(), current.members())");
        add("N11", "the generation after the next one begins before the seal of the next one", cell -> {
                    Bounds.marked(cell, 3, new int[] {0}, new int[] {1});
                    cell.ofThird = Set.of(2);
                    cell.acquires = new int[] {1, 0, 1};
                    cell.restarts = 0;
                    cell.deaf = Set.of(0);
                })
                .change(
                        OWN_GENERATION,
                        "mode == Quorum.joint(own.number() + 1) && isSealed() && follows;",
                        "mode == Quorum.joint(own.number() + 1) && follows;");
        add("N8", "an acceptor serves despite another content", Bounds::twoContents)
                .change(GUARD, "return end == null || now.isBefore(end);", "return false;");
        add("U2a", "the quarantine uses the new, shorter setting", Mutants::shorter)
                .change(TIMING, "shrinks ? before.maxLeaseTime : after.maxLeaseTime,", "after.maxLeaseTime,");
        add("U2b", "a seal ages by the new, shorter setting", Mutants::shorter)
                .change(
                        SEAL,
                        "generation.timing(false).quarantineNanos()",
                        "generation.current().timing().quarantineNanos()");
        add("U3", "until the seal the longer lease of both settings is granted", cell -> {
                    Bounds.oneBecomesAnother(cell);
                    cell.deaf = Set.of(0, 1); // so that neither knows of a seal, and a may go back
                    cell.restarts = 2;
                    cell.restarting = Set.of(0);
                    cell.leaseUnits = 2;
                    cell.maxLeaseUnitsAfter = 2;
                    cell.wallOffsetsMillis =
                            new int[] {0, 1}; // so that b's counters are above a's floor of the same moment
                })
                .change(
                        TIMING,
                        "shrinks ? after.maxLeaseTime : before.maxLeaseTime,",
                        "shrinks ? before.maxLeaseTime : after.maxLeaseTime,");
        add("O6", "an acceptor takes counters from before the seal", cell -> {
                    besideDeafGuest(cell);
                    cell.proposers = 2;
                    cell.wallOffsetsMillis = new int[] {0, 0, 0, -25
                    }; // so that d's counter is above b's first floor, and below c's token
                    cell.story(times(2) + "c acquires\na restarts\n" + times(2) + "d acquires");
                    cell.horizon = 4;
                })
                .change("protocol/paxos/RequestHandler.java", "if (floor == 0) {", "if (true) {");
    }

    private static void besideDeafGuest(Cell cell) {
        Bounds.besideGuest(cell);
        cell.deaf = Set.of(2);
    }

    private static void besideDeafGuestLive(Cell cell) {
        Bounds.besideGuestLive(cell);
        cell.deaf = Set.of(2);
    }

    private static void shorter(Cell cell) {
        besideDeafGuest(cell);
        cell.maxLeaseUnits = 3;
        cell.leaseUnits = 3;
        cell.maxLeaseUnitsAfter = 1;
        cell.horizon = 6;
    }

    private void tokens() {
        add("T1", "equal counters of two incarnations are accepted", cell -> {
                    cell.checksTokens = true;
                    cell.releases = 1;
                })
                .change(SLOT, "return ballot.counter() > p", "return ballot.counter() >= p");
        Consumer<Cell> restartsOfAll = cell -> {
            cell.checksTokens = true;
            cell.acquires = new int[] {1, 0, 1};
            cell.restarts = 3;
            cell.horizon = 9;
            cell.maxLeaseUnits = 4;
        };
        add("T2", "no floor after a restart", cell -> {
                    restartsOfAll.accept(cell);
                    cell.wallOffsetsMillis = new int[] {0, 0, -60};
                })
                .change(
                        ACCEPTOR,
                        "        floor = Math.max(floor, now.wallMicros());\n        slots = new",
                        "slots = new")
                .change(ACCEPTOR, "            floor = now.wallMicros();\n", "");
        add("T3", "the floor without the guard S", cell -> {
                    restartsOfAll.accept(cell);
                    cell.wallOffsetsMillis = new int[] {90, 0, 0};
                })
                .change(ACCEPTOR, "return counter > counterLimit(now);", "return false;");
        add("T4", "S and a backward step are longer than the quarantine", cell -> {
                    restartsOfAll.accept(cell);
                    cell.wallSteps = 3;
                    cell.wallStepUnits = 3;
                    cell.wallOffsetsMillis = new int[] {30, 0, 0};
                })
                .change(TIMING, "GUARD_DIVISOR = 4", "GUARD_DIVISOR = 1");
        add("T5", "a suspect tenure is confirmed with a proposal in flight", cell -> {
                    Bounds.suspended(cell);
                    cell.story("b acquires\n" + times(1) + "b renews\nb sleeps\n" + times(1)
                            + "c acquires\nc releases\n" + times(1) + "b suspects its clocks");
                })
                .change(TENURES, "if (claim.lastCounter > tenure.counter) {", "if (false) {");
    }
}
