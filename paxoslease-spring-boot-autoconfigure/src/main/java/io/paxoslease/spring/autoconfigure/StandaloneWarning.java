package io.paxoslease.spring.autoconfigure;

import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.protocol.Printable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.ClassUtils;

/**
 * Warns about an application that forms a cell by itself, by {@code paxoslease.standalone} or with one peer: if it runs
 * as several instances, each of them leads every role. In tests and with DevTools that is intended, so there is no
 * warning; unless nothing is configured, and the application would not start elsewhere.
 */
final class StandaloneWarning {

    private static final Logger log = LoggerFactory.getLogger(StandaloneWarning.class);
    private static final String DEV_TOOLS = "org.springframework.boot.devtools.restart.Restarter";
    private static final String TESTS = "org.springframework.test.context.TestContext";

    private StandaloneWarning() {}

    /** @param because why the node is standalone although that is not configured; null if it is configured */
    static void warn(PaxosLeaseOptions options, @Nullable String because, ClassLoader loader) {
        boolean isAlone = options.isCellOfOne();
        if (isAlone && because != null) {
            log.warn(
                    "No cell is configured, so node '{}' is a cell of its own {}: it leads every role and has every lock. Elsewhere the application"
                            + " does not start like this: list all instances in paxoslease.peers, or set paxoslease.standalone=true",
                    options.nodeId(),
                    Printable.text(because));
            return;
        }
        if (!isAlone || ClassUtils.isPresent(DEV_TOOLS, loader) || isInTest(loader)) {
            return;
        }
        log.warn(
                "Node '{}' forms a cell by itself ({}): every instance with this configuration leads every role and has every lock. List"
                        + " all instances in paxoslease.peers, the same on each, unless there is never more than one instance",
                options.nodeId(),
                options.peers().isEmpty() ? "paxoslease.standalone=true" : "paxoslease.peers has one entry");
    }

    /** Warns about a test that runs a real member of a cell of several, whose leases wait for the other members. */
    static void warnOfPeersInTest(PaxosLeaseOptions options, ClassLoader loader) {
        if (options.peers().size() > 1 && !options.isClient() && isInTest(loader)) {
            log.warn(
                    "This test runs node '{}' of a real cell: it opens a port, and leads and locks only while a majority of {} answers. If that is not"
                            + " intended, annotate the test with @AutoConfigureTestLeadership (paxoslease-spring-boot-test), or set"
                            + " paxoslease.standalone=true for it",
                    options.nodeId(),
                    Printable.line(options.peers().keySet()));
        }
    }

    /** Whether Spring's test framework is on the class path. Only words depend on it. */
    static boolean isInTest(ClassLoader loader) {
        return ClassUtils.isPresent(TESTS, loader);
    }
}
