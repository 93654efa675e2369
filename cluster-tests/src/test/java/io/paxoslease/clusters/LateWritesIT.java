package io.paxoslease.clusters;

import io.paxoslease.clusters.StorageCell.Instance;
import io.paxoslease.clusters.StorageChaos.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Instances that meet in a directory and break the access bound: a mount hangs, so that writes of renewals, releases and acquisitions land
 * when others hold the leases, and instances are paused for longer than a lease. Exclusion is not promised then; tokens that tell holders
 * apart are.
 */
@Tag("cluster")
@Timeout(value = 8, unit = TimeUnit.MINUTES)
@Isolated("it judges how soon one leads again")
class LateWritesIT {

    private static final Duration BOUND = Duration.ofMillis(250);
    /** The least for that, and some more. */
    private static final Duration LEASE = Duration.ofMillis(3_500);
    /** Longer than a lease, so that others hold it when the writes land. */
    private static final Duration SHORTEST = LEASE.plus(BOUND.multipliedBy(4));

    private static final Duration LONGEST = SHORTEST.plus(LEASE);
    /** Two leases, of one that was killed and one that has not been granted in time, and as much again. */
    private static final Duration RECOVERY = LEASE.multipliedBy(4);

    private static final int FAULTS = Depth.of(3, 6);

    private final Path directory;

    LateWritesIT(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path directory) {
        this.directory = directory;
    }

    @Test
    void tokensTellHoldersApartWhenWritesLandInLeasesOfOthers() throws IOException {
        Path leases = Files.createDirectory(directory.resolve("leases"));
        try (StorageCell cell = cellOver(leases).start()) {
            Kind<Instance> hang = new Kind<>("hang", SHORTEST, LONGEST, this::hang, this::goOn);
            Kind<Instance> pause = StorageChaos.pause(SHORTEST, LONGEST);
            StorageChaos chaos = new StorageChaos(cell, FAULTS, List.of(hang, hang, pause));
            chaos.happen(List.of(), List.of());

            StorageVerdict.after(chaos, cell)
                    .assertTokensTellHoldersApart()
                    .assertBusy()
                    .assertNextLeaderWithin(RECOVERY);
        }
    }

    private void hang(Instance victim) {
        try {
            Files.createFile(switchOf(victim.name()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void goOn(Instance victim) {
        try {
            Files.delete(switchOf(victim.name()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path switchOf(String name) {
        return directory.resolve(name + ".hangs");
    }

    /** Few locks and long holds, so that each is held most of the time. */
    private StorageCell cellOver(Path leases) {
        return new StorageCell(
                directory,
                3,
                LEASE,
                List.of(),
                name -> List.of(
                        "--witness.hanging-directory=" + leases,
                        "--witness.hangs-while=" + switchOf(name),
                        "--paxoslease.storage.access-bound=%dms".formatted(BOUND.toMillis()),
                        "--witness.names=4",
                        "--witness.long-one-of=1"));
    }
}
