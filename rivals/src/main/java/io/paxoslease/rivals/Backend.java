package io.paxoslease.rivals;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** Starts what a product needs beside the application. */
public interface Backend {

    /** What has to be installed first, and how; empty when everything is there. */
    Optional<String> missing();

    /** The servers' version; empty when there are none. */
    String version();

    /**
     * Starts the servers. Those whose members run inside the application may come up only with the first clients.
     *
     * @param directory an empty directory for data and logs
     * @param clients how many clients will be opened: as many members fewer are started here
     * @param tuning which times to use
     */
    Servers start(Path directory, int clients, Tuning tuning) throws IOException, InterruptedException;
}
