package io.paxoslease.node;

import com.sun.management.UnixOperatingSystemMXBean;
import io.paxoslease.protocol.Printable;
import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether the limit of open files of this process leaves room for the clients that a member admits. */
final class OpenFiles {

    private static final Logger log = LoggerFactory.getLogger(OpenFiles.class);
    private static final long UNKNOWN = -1;
    /** A peer has one connection, a second one while it reconnects, and some that are closed but not yet noticed. */
    private static final int OF_A_PEER = 4;
    /** Jars, logs and sockets of the application; an application with many of its own needs more. */
    private static final int OF_THE_PROCESS = 128;

    private OpenFiles() {}

    /** Says once, at the start of a member, that the limit is too low. */
    static void check(String nodeId, int maxClients, int otherMembers) {
        String problem = problem(limit(), nodeId, maxClients, otherMembers);
        if (problem != null) {
            log.warn("{}", Printable.line(problem));
        }
    }

    /** @param limit negative when it is not known, or there is none */
    static @Nullable String problem(long limit, String nodeId, int maxClients, int otherMembers) {
        long needed = maxClients + (long) OF_A_PEER * otherMembers + OF_THE_PROCESS;
        return maxClients == 0 || limit < 0 || limit >= needed
                ? null
                : "Node '%s' admits %d clients (maxClients), which takes %d open files, and the limit of this process is %d. At the limit it accepts no more connections, of members either, and the application opens no more files. Raise the limit (ulimit -n, LimitNOFILE= of systemd, ulimits of the container), or lower maxClients"
                        .formatted(nodeId, maxClients, needed, limit);
    }

    /** The JVM has raised its soft limit to the hard one when it started. */
    private static long limit() {
        try {
            return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                    ? system.getMaxFileDescriptorCount()
                    : UNKNOWN;
        } catch (LinkageError | RuntimeException absent) { // a runtime without jdk.management
            log.debug("The limit of open files is not known", absent);
            return UNKNOWN;
        }
    }
}
