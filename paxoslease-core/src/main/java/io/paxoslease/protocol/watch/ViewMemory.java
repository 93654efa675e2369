package io.paxoslease.protocol.watch;

import org.jspecify.annotations.Nullable;

/**
 * How many bytes a node may have for what members tell it of watched leases. Members bound what they keep by their own heaps, which may be larger than
 * this node's. A prefix is loaded up to three quarters of what the others leave: there is room for changes and for one more. Not thread-safe.
 */
final class ViewMemory {

    /** What a record takes besides its texts: objects, and entries of maps. */
    private static final int BYTES_OF_ONE = 320;
    /** A member that is current may take all but one part in so many of what the others leave, before it is dropped. */
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
         * Gives the room of one record back, and takes that of another.
         *
         * @param isCurrent whether the member that tells it is current: then only a change that takes more room than before may have none
         * @return whether there was room
         */
        boolean replace(String resource, @Nullable WatchedRecord before, WatchedRecord record, boolean isCurrent) {
            long given = before == null ? 0 : bytes(resource, before);
            long bytes = bytes(resource, record);
            add(-given);
            long left = most - (taken - own);
            long allowed = isCurrent ? left - left / PARTS : left / 4 * 3;
            boolean fits = own + bytes <= allowed || (isCurrent && bytes <= given);
            if (fits) {
                add(bytes);
            }
            return fits;
        }

        void giveBack(String resource, WatchedRecord record) {
            add(-bytes(resource, record));
        }

        private void add(long bytes) {
            own += bytes;
            taken += bytes;
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
