package io.paxoslease.consensus;

import io.paxoslease.consensus.RankedRegister.Written;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What was done to a ranked register, and whether it may have come out so. */
final class RankedHistory {

    private enum Outcome {
        OPEN,
        FAILED,
        SEEN,
        COMMITTED,
        ABORTED
    }

    private static final class Operation {
        private final Rank rank;
        private final byte @Nullable [] value; // null: a read
        private final int invoked;
        private int returned = Integer.MAX_VALUE;
        private Outcome outcome = Outcome.OPEN;
        private @Nullable Written seen;

        private Operation(Rank rank, byte @Nullable [] value, int invoked) {
            this.rank = rank;
            this.value = value;
            this.invoked = invoked;
        }

        @Override
        public String toString() {
            return "%d-%d %s %s %s %s"
                    .formatted(
                            invoked,
                            returned,
                            value == null ? "read" : "write",
                            rank,
                            outcome,
                            seen == null ? "" : seen.rank());
        }
    }

    private final List<Operation> operations = new ArrayList<>();
    private int time;

    Written read(RankedRegister register, Rank rank) throws IOException {
        Operation operation = invoke(rank, null);
        try {
            Written seen = register.read(rank);
            operation.seen = seen;
            operation.outcome = Outcome.SEEN;
            return seen;
        } catch (IOException e) {
            operation.outcome = Outcome.FAILED;
            throw e;
        } finally {
            operation.returned = time++;
        }
    }

    boolean write(RankedRegister register, Rank rank, byte[] value) throws IOException {
        Operation operation = invoke(rank, value);
        try {
            boolean committed = register.write(rank, value);
            operation.outcome = committed ? Outcome.COMMITTED : Outcome.ABORTED;
            return committed;
        } catch (IOException e) {
            operation.outcome = Outcome.FAILED;
            throw e;
        } finally {
            operation.returned = time++;
        }
    }

    private Operation invoke(Rank rank, byte @Nullable [] value) {
        Operation operation = new Operation(rank, value, time++);
        operations.add(operation);
        return operation;
    }

    /** What is wrong; null when nothing is. */
    @Nullable
    String fault() {
        for (Operation read : operations) {
            Written seen = read.seen;
            if (read.outcome == Outcome.SEEN && seen != null) {
                String fault = fault(read, seen);
                if (fault != null) {
                    return fault + ": " + operations;
                }
            }
        }
        for (Operation write : operations) {
            if (write.outcome == Outcome.ABORTED && operations.stream().noneMatch(other -> prevents(other, write))) {
                return "aborted without a higher rank: " + write + " in " + operations;
            }
        }
        return null;
    }

    private @Nullable String fault(Operation read, Written seen) {
        for (Operation write : operations) {
            if (write.outcome == Outcome.COMMITTED
                    && read.rank.isAbove(write.rank)
                    && write.rank.isAbove(seen.rank())) {
                return "committed, and not seen by a higher rank: " + write + " by " + read;
            }
        }
        boolean nothing = seen.rank().equals(Rank.NONE) && seen.value() == null;
        boolean written = operations.stream()
                .anyMatch(write -> write.value != null
                        && write.rank.equals(seen.rank())
                        && Arrays.equals(write.value, seen.value())
                        && write.invoked < read.returned);
        return nothing || written ? null : "nobody wrote what was seen: " + read;
    }

    private static boolean prevents(Operation other, Operation write) {
        return other.rank.isAbove(write.rank) && other.invoked < write.returned;
    }
}
