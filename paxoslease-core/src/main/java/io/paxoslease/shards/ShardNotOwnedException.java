package io.paxoslease.shards;

import io.paxoslease.PaxosLeaseException;

/** This instance does not own a shard, or owns it no more, and what was asked for is for the owner only. */
public final class ShardNotOwnedException extends PaxosLeaseException {

    private static final long serialVersionUID = 1L;

    private final String group;
    private final int index;

    /**
     * @param group the name of the group
     * @param index which shard
     * @param message what was refused, and why
     */
    public ShardNotOwnedException(String group, int index, String message) {
        super(message);
        this.group = group;
        this.index = index;
    }

    /** The name of the group. */
    public String group() {
        return group;
    }

    /** Which shard of the group. */
    public int index() {
        return index;
    }
}
