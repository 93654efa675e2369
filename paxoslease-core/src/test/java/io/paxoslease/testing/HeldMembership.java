package io.paxoslease.testing;

import io.paxoslease.Membership;
import io.paxoslease.MembershipStore;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A store of the members in memory, which can be made to fail. */
public final class HeldMembership implements MembershipStore {

    private @Nullable Membership stored;
    private @Nullable Membership faster;
    private @Nullable String fault;
    private @Nullable String writeFault;
    private boolean refusing;
    private int writes;

    @Override
    public synchronized @Nullable Membership read() throws IOException {
        fail();
        return stored;
    }

    @Override
    public synchronized boolean replace(@Nullable Membership expected, Membership next) throws IOException {
        fail();
        if (writeFault != null) {
            throw new IOException(writeFault);
        }
        if (faster != null) {
            stored = faster;
            faster = null;
        }
        boolean isExpected = !refusing && Objects.equals(stored, expected);
        stored = isExpected ? next : stored;
        writes += isExpected ? 1 : 0;
        return isExpected;
    }

    private void fail() throws IOException {
        if (fault != null) {
            throw new IOException(fault);
        }
    }

    @Override
    public String describe() {
        return "store of this test";
    }

    /** From now on it fails so; null: it works. */
    public synchronized void failWith(@Nullable String problem) {
        fault = problem;
    }

    /** From now on it can be read only, and fails so when it is written; null: it works. */
    public synchronized void failWritesWith(@Nullable String problem) {
        writeFault = problem;
    }

    /** From now on each write loses its race. */
    public synchronized void refuseWrites() {
        refusing = true;
    }

    /** Another node stores that just before the next write. */
    public synchronized void isBeatenBy(Membership other) {
        faster = other;
    }

    /** Nobody has stored anything but that. */
    public synchronized void put(@Nullable Membership membership) {
        stored = membership;
    }

    public synchronized @Nullable Membership stored() {
        return stored;
    }

    public synchronized int writes() {
        return writes;
    }
}
