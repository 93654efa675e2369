package io.paxoslease.rivals;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/** One product, used in one way. */
public interface Contender {

    /** The word of the command line and of the result files. */
    String name();

    /** For tables. */
    String title();

    /** Version and settings in a sentence. */
    String settings();

    /** The servers it needs. */
    Backend backend();

    /** What it takes part in. */
    default Set<Workload> workloads() {
        return EnumSet.complementOf(EnumSet.of(Workload.SESSIONS));
    }

    /** How long a dead holder keeps others out at most, which is not longer than a fail-over takes. */
    default Duration leaseTime(Tuning tuning) {
        return Duration.ZERO;
    }

    /** How often a held lock is renewed; zero when it is not. */
    default Duration renewal(Tuning tuning) {
        return leaseTime(tuning).dividedBy(3);
    }

    /** Opens one client; with members inside the application, this member, and a client of theirs beyond the last. */
    Client client(Site site, int index) throws Exception;

    /** The name of the jar that holds the class, without its suffix: name and version of a library. */
    static String jar(Class<?> type) {
        String path = type.getProtectionDomain().getCodeSource().getLocation().getPath();
        String file = path.replaceAll("/$", "").replaceAll(".*/", "");
        return file.endsWith(".jar") ? file.substring(0, file.length() - ".jar".length()) : file;
    }
}
