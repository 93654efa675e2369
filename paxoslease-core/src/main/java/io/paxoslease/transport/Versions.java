package io.paxoslease.transport;

/**
 * The versions of the wire format that a node speaks. Two nodes speak the highest that both do, so that the nodes of a cell can be
 * upgraded one after the other.
 *
 * @param lowest the lowest, at least 1
 * @param highest the highest
 */
public record Versions(int lowest, int highest) {

    /** The versions of this release. */
    public static final Versions OURS = new Versions(1, 1);

    public Versions {
        if (lowest < 1 || highest < lowest || highest > 0xFFFF) {
            throw new IllegalArgumentException("No versions %d to %d".formatted(lowest, highest));
        }
    }

    /** A single version. */
    public static Versions only(int version) {
        return new Versions(version, version);
    }

    /**
     * The version that two nodes speak.
     *
     * @throws UnsupportedVersionException when there is none
     */
    public int agreedWith(Versions other) {
        int agreed = Math.min(highest, other.highest);
        if (agreed < lowest || agreed < other.lowest) {
            throw new UnsupportedVersionException(other, this);
        }
        return agreed;
    }

    @Override
    public String toString() {
        return lowest == highest ? "version " + lowest : "versions " + lowest + " to " + highest;
    }
}
