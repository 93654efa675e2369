package io.paxoslease.simulation;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;

/**
 * Cells whose members change by generations, as {@link ChangeDraw} draws them, where a part of all messages is late by more than a quarantine: a message
 * arrives after moves, restarts, ways back and seals. Processes that end leave behind what is under way.
 */
final class LateDraw {

    private static final long SALT = 0x1A7EL;
    /** In quarantines. */
    private static final int LONGEST_DELAY = 4;

    private LateDraw() {}

    static Scenario of(long seed) {
        SplittableRandom random = new SplittableRandom(seed ^ SALT);
        Scenario drawn = ChangeDraw.changing(random.nextLong());
        while (!Objects.requireNonNull(drawn.changes()).kind().isByGenerations()) {
            drawn = ChangeDraw.changing(random.nextLong());
        }
        List<Fault> faults = new ArrayList<>();
        for (Fault fault : drawn.faults()) {
            faults.add(
                    fault instanceof Fault.Crash crash
                            ? new Fault.Crash(crash.at(), crash.duration(), crash.victim(), true, crash.reboots())
                            : fault);
        }
        long longest = 1 + random.nextLong(LONGEST_DELAY * drawn.longestSilenceNanos());
        faults.add(new Fault.Noise(0, drawn.safetyNanos(), 0, random.nextInt(30), 5 + random.nextInt(25), longest));
        faults.sort(Comparator.comparingLong(Fault::at));
        return new Scenario(
                seed,
                drawn.acceptors(),
                drawn.resources(),
                drawn.maxLeaseNanos(),
                drawn.leaseNanos(),
                drawn.drift(),
                drawn.clockBoundNanos(),
                drawn.machines(),
                drawn.coarseWall(),
                drawn.encoded(),
                false,
                drawn.linkNanos(),
                drawn.tokensGrow(),
                drawn.heals(),
                drawn.safetyNanos(),
                List.copyOf(faults),
                drawn.changes());
    }
}
