package io.paxoslease.transport;

/**
 * The versions of the wire format that a node speaks. Two nodes speak the highest that both do, so that the nodes of a cell can be
 * upgraded one after the other.
 *
 * @param lowest the lowest, at least 1
 * @param highest the highest
 */
public record Versions(int lowest, int highest) {

    /** Those of this release. */
    public static final Versions OURS = new Versions(1, 4);

    /** From this version on nodes tell each other their generations (section 9), and the members remember registers. */
    static final int GENERATIONS = 3;

    /** From this version on a member tells another which process of it was connected last (A0). */
    static final int LAST_BOOT = 4;

    /** From this version on requests of registers name the lists that decide, when members change. */
    static final int REGISTER_MODES = 4;

    public Versions {
        if (lowest < 1 || highest < lowest || highest > 0xFFFF) {
            throw new IllegalArgumentException("No versions %d to %d".formatted(lowest, highest));
        }
    }

    /** That one alone. */
    public static Versions only(int version) {
        return new Versions(version, version);
    }

    /** Those of them in which a node can say that it runs that generation. */
    public Versions ofGeneration(int number) {
        return number == 1 ? this : new Versions(Math.max(lowest, GENERATIONS), highest);
    }

    /** Whether generations can be told in the highest of them. */
    public boolean knowsGenerations() {
        return highest >= GENERATIONS;
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
