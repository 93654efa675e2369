package io.paxoslease.exploration;

import io.paxoslease.simulation.FleaseSeedHunt;
import java.util.ArrayList;
import java.util.List;

/** Every known way to get Flease wrong, under the numbers of docs/simulation.md; each is found out by a seed. */
final class FleaseMutants {

    private static final String CLOCKS = "protocol/flease/Clocks.java";
    private static final String ATTEMPT = "protocol/flease/Attempt.java";
    private static final String NODE = "protocol/flease/FleaseNode.java";
    private static final String PARTICIPATION = "protocol/flease/Participation.java";
    private static final String REGISTERS = "protocol/flease/Registers.java";
    private static final String DRIVER = "protocol/flease/AttemptDriver.java";

    private final List<ShellMutants.Case> all = new ArrayList<>();

    private FleaseMutants() {
        clocksAndSilence();
        registers();
        leases();
    }

    static List<ShellMutants.Case> all() {
        return new FleaseMutants().all;
    }

    private Mutant add(String id, String title) {
        Mutant mutant = new Mutant(id, title);
        all.add(new ShellMutants.Case(mutant, FleaseSeedHunt.class));
        return mutant;
    }

    private void clocksAndSilence() {
        add("L1", "no safety period: a lease is free at its end")
                .change(
                        "protocol/flease/TimeRules.java",
                        "return value.endMicros() + boundMicros;",
                        "return value.endMicros();");
        add("L2", "no silence after a restart")
                .change(PARTICIPATION, "this.silentUntil = silentUntil;", "this.silentUntil = null;")
                .change(PARTICIPATION, "silentUntil = silentUntil == null ? end : Moment.later(silentUntil, end);", "");
        add("L3", "the proposer ignores the silence after a restart")
                .change(PARTICIPATION, "return inBounds && silentUntil == null && !besideAnother;", "return inBounds;")
                .change(
                        NODE,
                        "} else if (participation.isServing() && message",
                        "} else if (participation.isServing() && (!participation.isSilent(now) || from.equals(self)"
                                + " || message instanceof FleaseMessage.Reply) && message");
        add("L4", "a clock that was set is not noticed")
                .change(
                        "protocol/flease/OwnClock.java",
                        "boolean set = highest - lowest > allowedMicros(elapsedNanos);",
                        "boolean set = false;");
        add("L5", "a clock out of the bound is not noticed")
                .change(
                        CLOCKS,
                        "near += near(peer, spareMicros, now) == null ? 0 : 1;",
                        "near += peer.measured != null && counts(peer.measured, now) ? 1 : 0;");
        add("L6", "a node answers comparisons just after its clock was set")
                .change(CLOCKS, "return answersFrom == null || !now.moment().isBefore(answersFrom);", "return true;");
    }

    private void registers() {
        add("L7", "answers are counted instead of nodes")
                .change(ATTEMPT, "    boolean agreed(NodeId from) {\n        return agreed.add(from);", """
                            private int answers;
                            boolean agreed(NodeId from) {
                                agreed.add(from);
                                answers++;
                                return true;
                        """)
                .change(ATTEMPT, "agreed.size() >= quorum.majority()", "answers >= quorum.majority()")
                .change(ATTEMPT, "        agreed.clear();", "        agreed.clear();\n        answers = 0;");
        add("L8", "a write ignores a higher read")
                .change(
                        REGISTERS,
                        "!register.stored.written().isAbove(round) && !register.promised.isAbove(round)",
                        "!register.stored.written().isAbove(round)");
        add("L9", "a write ignores a higher write")
                .change(
                        REGISTERS,
                        "!register.stored.written().isAbove(round) && !register.promised.isAbove(round)",
                        "!register.promised.isAbove(round)");
        add("L10", "of the answers to a read, the last one counts instead of the highest round")
                .change(ATTEMPT, "if (stored.written().isAbove(latest.written())) {", "if (true) {");
        add("L11", "answers to an earlier attempt count")
                .change(ATTEMPT, "return reply.attempt() == id && reply.round().equals(round);", "return true;");
        add("L12", "registers are forgotten without a floor")
                .change(
                        REGISTERS,
                        "return isTooOld(round) || bound.isTooFarAhead(round, now);",
                        "return bound.isTooFarAhead(round, now);")
                .change(
                        REGISTERS,
                        "return isTooOld(register.highest()) && bound.isForgettable(register.stored.value(), now, lowestSlot);",
                        "return bound.isForgettable(register.stored.value(), now, lowestSlot);")
                .change(REGISTERS, "< bound.horizonNanos()) {", "< 1_000_000L) {");
        add("L13", "a register is forgotten before its lease ends")
                .change(
                        REGISTERS,
                        "return isTooOld(register.highest()) && bound.isForgettable(register.stored.value(), now, lowestSlot);",
                        "return true;")
                .change(REGISTERS, "< bound.horizonNanos()) {", "< 50_000_000L) {");
    }

    private void leases() {
        add("L14", "a node that writes another's lease back extends it")
                .change(
                        DRIVER,
                        "write(state, attempt, latest, now); // another's",
                        "write(state, attempt, new Value(latest.owner(), latest.endMicros() + 1, latest.token()), now); //");
        add("L15", "a renewal counts before it is committed")
                .change(DRIVER, "        attempt.startWriting(value, now, Backoff.round(attempt.leaseNanos));", """
                                attempt.startWriting(value, now, Backoff.round(attempt.leaseNanos));
                                if (attempt.kind == Kind.RENEW && state.tenure != null) {
                                    state.tenure.extend(attempt);
                                    out.emit(new Effect.Extended(
                                            state.resource, state.tenure.token, state.tenure.until, now.moment()));
                                }
                        """);
        add("L16", "the lease time counts from the commit")
                .change(
                        DRIVER,
                        "request.id(), state.resource, tenure.token, tenure.until, attempt",
                        "request.id(), state.resource, tenure.token, now.plusNanos(attempt.leaseNanos), attempt");
        add("L17", "a register is emptied, no matter which node's lease it holds")
                .change(
                        DRIVER,
                        "        if (latest.isEmpty() || latest.isOf(life.incarnation())) {\n            write(state, attempt, latest.released(), now);",
                        "        if (true) {\n            write(state, attempt, latest.released(), now);");
        add("L18", "a token need not exceed the last one")
                .change(
                        "protocol/flease/WriterIdentity.java",
                        "Math.max(now.wallMicros(), Math.max(before.token(), tokenOfEarlierLife) + 1)",
                        "now.wallMicros()");
        add("L19", "a lease that has not ended is taken")
                .change(DRIVER, "latest.isOf(life.incarnation()) || bound.isOver(latest, began)", "true");
    }
}
