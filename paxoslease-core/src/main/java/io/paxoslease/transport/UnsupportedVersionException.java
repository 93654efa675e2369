package io.paxoslease.transport;

/** There is no version of the wire format that both sides speak. */
public final class UnsupportedVersionException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public UnsupportedVersionException(Versions theirs, Versions ours) {
        super("wire format %s meets %s: %s".formatted(theirs, ours, advice(theirs, ours)));
    }

    private static String advice(Versions theirs, Versions ours) {
        boolean isOfGeneration = ours.lowest() >= Versions.GENERATIONS && theirs.highest() < Versions.GENERATIONS;
        return isOfGeneration
                ? "the members of this cell change (paxoslease.generation is above 1), which that release does not know:"
                        + " upgrade every node before changing members"
                : "upgrade the node of the older release first, one release at a time";
    }
}
