package io.paxoslease.rivals;

import java.io.IOException;
import java.util.List;

/** Running servers. */
public interface Servers extends AutoCloseable {

    /** {@code host:port} of each server, and of each member that a client is to be. */
    List<String> addresses();

    /** The processes started here. */
    List<Long> processes();

    /** Bytes in use by all of them together: of live objects, of the data set, or resident, whatever says most. */
    long usedBytes() throws IOException, InterruptedException;

    /** Returns when they serve; called when the clients have been started. */
    default void awaitReady() throws IOException, InterruptedException {}

    @Override
    void close();
}
