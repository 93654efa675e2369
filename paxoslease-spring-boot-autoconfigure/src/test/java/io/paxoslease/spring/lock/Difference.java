package io.paxoslease.spring.lock;

import java.util.EnumSet;
import java.util.Set;

/**
 * Where a registry differs from the contract by design. {@link PaxosLeaseLockRegistry} does not differ. The tests of the
 * contract ask here, and nowhere else, whom they are about.
 */
enum Difference {
    /** R5, R9, R14 and R15 then run among the threads of one registry. */
    ONE_PROCESS("its locks are this process's own: there are no other nodes"),
    NO_TIME_TO_LIVE("its locks have no lease: they neither end nor need renewing"),
    NEVER_FORGETS("it has a fixed table of locks: keys are neither kept nor forgotten"),
    ANY_KEY("it takes the hash of any object for its key"),
    CONDITIONS("its locks are plain reentrant locks, which have conditions"),
    SILENT_REFUSAL("its locks are plain reentrant locks, whose refusal to unlock has no message"),
    NO_AUTOMATIC_RENEWAL("it renews nothing by itself: the holder of a lock calls renewLock in time"),
    FALSE_ON_A_LOST_HOLD(
            "a nested tryLock on a lost hold answers false, and then the thread has to unlock all the same"),
    FORGETS_WHAT_IS_ONLY_OBTAINED("a lock that is forgotten between obtain and lock is another object afterwards"),
    OUTAGE_THROWS("a database that does not answer is an exception, not a lock that is not free"),
    SHORT_FOREVER("the longest wait overflows its deadline, so that it does not wait at all");

    private final String why;

    Difference(String why) {
        this.why = why;
    }

    static Set<Difference> ofPaxosLease() {
        return EnumSet.noneOf(Difference.class);
    }

    /** Spring Integration's registry without a store. */
    static Set<Difference> ofDefaultRegistry() {
        return EnumSet.of(ONE_PROCESS, NO_TIME_TO_LIVE, NEVER_FORGETS, ANY_KEY, CONDITIONS, SILENT_REFUSAL);
    }

    /** Spring Integration's registry over a table. */
    static Set<Difference> ofJdbcRegistry() {
        return EnumSet.of(
                NO_AUTOMATIC_RENEWAL,
                FALSE_ON_A_LOST_HOLD,
                FORGETS_WHAT_IS_ONLY_OBTAINED,
                OUTAGE_THROWS,
                SHORT_FOREVER);
    }

    @Override
    public String toString() {
        return name() + ": " + why;
    }
}
