package io.paxoslease.consensus;

/**
 * The rank of an operation on a ranked register. Ordered by number, then by client; each client uses ranks of its own.
 *
 * @param number 0 or more
 * @param client tells those apart that use the same number, as an unsigned number
 */
public record Rank(long number, long client) implements Comparable<Rank> {

    /** Below every other; no client's. */
    public static final Rank NONE = new Rank(0, 0);

    public Rank {
        if (number < 0) {
            throw new IllegalArgumentException("The number of a rank is 0 or more, not " + number);
        }
    }

    @Override
    public int compareTo(Rank other) {
        int byNumber = Long.compare(number, other.number);
        return byNumber == 0 ? Long.compareUnsigned(client, other.client) : byNumber;
    }

    boolean isAbove(Rank other) {
        return compareTo(other) > 0;
    }

    @Override
    public String toString() {
        return number + "." + Long.toHexString(client);
    }
}
