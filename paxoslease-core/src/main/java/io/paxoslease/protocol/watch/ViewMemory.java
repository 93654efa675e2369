package io.paxoslease.protocol.watch;

/**
 * How many bytes a node may have for what members tell it of watched leases. Members bound what they keep by their own heaps, which may be larger than
 * this node's. Each prefix may have three quarters of what the others leave, so that there is something left for one more. Not thread-safe.
 */
final class ViewMemory {

    /** What a record takes besides its texts: objects, and entries of maps. */
    private static final int BYTES_OF_ONE = 320;
    /** One part in so many is kept for changes of what is known already: a member that is current is not dropped for one that is being loaded. */
    private static final int PARTS = 16;

    private final long most;
    private long taken;

    ViewMemory(long most) {
        this.most = most;
    }

    /** What one prefix takes of it. */
    final class Part {

        private long own;

        /**
         * Whether there is room for it, which is taken then.
         *
         * @param isChange of what is known of a member that is current
         */
        boolean take(String resource, WatchedRecord record, boolean isChange) {
            long bytes = bytes(resource, record);
            long allowed = (most - (taken - own)) / 4 * 3;
            if (bytes > allowed - (isChange ? 0 : allowed / PARTS) - own) {
                return false;
            }
            add(bytes);
            return true;
        }

        void giveBack(String resource, WatchedRecord record) {
            add(-bytes(resource, record));
        }

        private void add(long bytes) {
            own += bytes;
            taken += bytes;
        }

        /** How much is free, whoever may have it. */
        long left() {
            return most - taken;
        }

        /** Whether so much more is free than was that another attempt is worth it. */
        boolean hasGained(long before) {
            return left() - before >= most / 4;
        }
    }

    private static long bytes(String resource, WatchedRecord record) {
        return BYTES_OF_ONE
                + 2L
                        * (resource.length()
                                + record.note().length()
                                + record.node().name().length());
    }
}
