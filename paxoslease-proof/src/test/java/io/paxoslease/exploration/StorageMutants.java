package io.paxoslease.exploration;

import java.util.List;
import java.util.function.Consumer;

/** The rules of leases in shared storage, each weakened, and the small world in which that shows. */
final class StorageMutants {

    private static final String RULES = "protocol/storage/StorageRules.java";
    private static final String ANSWERS = "protocol/storage/AccessAnswers.java";
    private static final String RENEW_FLOW = "protocol/storage/RenewFlow.java";
    private static final String ACQUIRE_FLOW = "protocol/storage/AcquireFlow.java";
    private static final String ACCESSES = "protocol/storage/Accesses.java";
    private static final String OBSERVATION = "protocol/storage/RegisterObservation.java";
    private static final String STAMP = "protocol/storage/Stamp.java";
    private static final int KNOWN = 12;
    private static final int EVENTUAL = 18;

    /** A mutant, and where it is found out. */
    record Entry(Mutant mutant, Consumer<StorageSetup> setup) {

        StorageSetup fresh() {
            StorageSetup fresh = new StorageSetup(mutant.toString());
            setup.accept(fresh);
            return fresh;
        }

        @Override
        public String toString() {
            return mutant.toString();
        }
    }

    private StorageMutants() {}

    static List<Entry> all() {
        return List.of(
                new Entry(
                        new Mutant("S1", "the wait after a write is one access bound instead of two")
                                .change(RULES, "return 2 * boundNanos();", "return boundNanos();"),
                        setup -> times(setup, KNOWN, 14)),
                new Entry(
                        new Mutant("S2", "a stamp is waited for half as long as it lasts")
                                .change(RULES, "return exclusion + (stamp", "return exclusion / 2 + 0 * (stamp"),
                        setup -> {
                            times(setup, 20, 30);
                            setup.lease = 12;
                            setup.renewed = false;
                            setup.acquires = 2;
                            setup.lastAcquire = 2;
                        }),
                new Entry(
                        new Mutant("S3", "a release is written into the register of the lease")
                                .change(
                                        ACCESSES,
                                        "new RegisterMessage.Write(state.resource, true, id",
                                        "new RegisterMessage.Write(state.resource, false, id"),
                        StorageExplorationTest::lateReleases),
                new Entry(
                        new Mutant("S4", "an access that took longer than the bound counts")
                                .change(
                                        ANSWERS,
                                        "return !now.moment().isBefore(access.startedAt()",
                                        "return false && !now.moment().isBefore(access.startedAt()")
                                .change(
                                        "protocol/storage/ResourceState.java",
                                        "plusNanos(rules.accessNanos())",
                                        "plusNanos(100 * rules.accessNanos())"),
                        setup -> {
                            times(setup, 20, 24);
                            setup.lease = 12;
                            setup.renewed = false;
                            setup.lastAcquire = 4;
                            setup.slows = 1;
                            setup.slowAccess = 6;
                        }),
                new Entry(
                        new Mutant("S5", "a renewal counts from its end")
                                .change(
                                        RENEW_FLOW,
                                        "        tenure.extend(attempt);\n",
                                        "        tenure.extend(attempt);\n        tenure.until = now.plusNanos(attempt.holdNanos());\n"),
                        setup -> {
                            times(setup, KNOWN, 40);
                            setup.compares = true;
                            setup.access = 3;
                            setup.renewed = false;
                            setup.renewals = 2;
                            setup.lastAcquire = 4;
                        }),
                new Entry(
                        new Mutant("S6", "a writer takes a stamp that readers share for its own")
                                .change(ACQUIRE_FLOW, "request.shared() && stamp != null", "stamp != null"),
                        setup -> {
                            times(setup, EVENTUAL, 24);
                            setup.sharing = new int[] {0};
                        }),
                new Entry(
                        new Mutant("S7", "what was read is not expected when the stamp is put")
                                .change(ACCESSES, "if (rules.compares()) {", "if (false) {"),
                        setup -> {
                            times(setup, KNOWN, 12);
                            setup.compares = true;
                            setup.access = 3;
                        }),
                new Entry(
                        new Mutant("S8", "compare-and-set does not allow for clocks of different rates")
                                .change(
                                        RULES,
                                        "long exclusion = timing.exclusionNanos(stamp.leaseNanos());",
                                        "long exclusion = stamp.leaseNanos();"),
                        setup -> {
                            times(setup, KNOWN, 24);
                            setup.compares = true;
                            setup.drift = 0.2;
                            setup.renewed = false;
                            setup.lastAcquire = 4;
                        }),
                new Entry(
                        new Mutant("S9", "a reader holds by a stamp of readers whom it does not know")
                                .change(RULES, "own.readers().equals(found.readers())", "true"),
                        setup -> {
                            StorageExplorationTest.faults(setup);
                            setup.sharing = new int[] {0, 1};
                            setup.clients = 3;
                        }),
                new Entry(
                        new Mutant("S10", "a release counts for every stamp of its owner")
                                .change(STAMP, "&& serial == record.serial", "&& token == record.token"),
                        StorageMutants::oneLateRenewal),
                new Entry(
                        new Mutant("S11", "a release frees the lease, whatever the register contains")
                                .change(
                                        OBSERVATION,
                                        "record != null && last.isReleasedBy(record)",
                                        "record != null && record.isReleased()"),
                        StorageExplorationTest::lateReleases),
                new Entry(
                        new Mutant("S12", "a renewal that may not have been written is released")
                                .change(
                                        RENEW_FLOW,
                                        "new Release(release.token(), replaced ? wrote : null)",
                                        "new Release(release.token(), wrote)")
                                .change(
                                        RENEW_FLOW,
                                        "boolean renewal = access.wrote() != null && access.wrote().isRenewal();",
                                        "boolean renewal = access.wrote() != null && access.wrote().isRenewal();\n        if (renewal) {\n            state.release = new Release(release.token(), access.wrote());\n            state.nextAt = now.moment();\n            return;\n        }"),
                        StorageMutants::oneLateRenewal),
                new Entry(
                        new Mutant("S13", "a client forgets what the store has shown")
                                .change(
                                        OBSERVATION,
                                        "boolean isBehind(StorageRules rules, @Nullable Stamp read) {",
                                        "boolean isBehind(StorageRules rules, @Nullable Stamp read) {\n        if (true) {\n            return false;\n        }"),
                        setup -> {
                            StorageExplorationTest.restores(setup, "compare");
                            setup.clients = 3;
                        }),
                new Entry(
                        new Mutant("S14", "a store that has gone back is used again at once")
                                .change(
                                        RULES,
                                        "return timing.exclusionNanos(timing.maxLeaseNanos()) + (compares",
                                        "return 1 + 0 * (compares"),
                        setup -> {
                            StorageExplorationTest.restores(setup, "compare");
                            setup.clients = 3;
                        }),
                new Entry(
                        new Mutant("S15", "a renewal does not check what it replaces")
                                .change(
                                        RENEW_FLOW,
                                        "if (state.doubt || accesses.needsCheck(tenure) || tenure.suspect) {",
                                        "if (state.doubt || tenure.suspect) {")
                                .change(RENEW_FLOW, "} else if (accesses.needsCheck(tenure)) {", "} else if (false) {"),
                        StorageExplorationTest::stabilizes),
                new Entry(
                        new Mutant("S16", "clients number their stamps alike")
                                .change(RULES, "long tie = Long.hashCode(", "long tie = 0 * Long.hashCode("),
                        StorageExplorationTest::stabilizes));
    }

    private static void oneLateRenewal(StorageSetup setup) {
        StorageExplorationTest.lateReleases(setup);
        setup.acquires = 3;
        setup.releases = 1;
        setup.renewals = 1;
        setup.slows = 1;
        setup.failures = 0;
    }

    private static void times(StorageSetup setup, int lease, int horizon) {
        setup.lease = lease;
        setup.maxLease = lease;
        setup.confirms = lease == EVENTUAL;
        setup.horizon = horizon;
    }

    static Entry of(String id) {
        return all().stream()
                .filter(entry -> entry.mutant().id.equals(id))
                .findFirst()
                .orElseThrow();
    }
}
