package io.paxoslease.clusters;

import io.paxoslease.clusters.StorageCell.Instance;
import io.paxoslease.clusters.StorageChaos.Kind;
import io.paxoslease.store.DirectoryRegister;
import io.paxoslease.store.Register;
import io.paxoslease.store.ReliableRegister;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Instances that meet in directories, which can only be read and written: in one, and in three of which one at a time is away, all
 * full of other leases. They are killed, stopped, and paused for less than the access bound: whatever happens here, the bound is kept,
 * so leases are exclusive.
 */
@Tag("cluster")
@Timeout(value = 8, unit = TimeUnit.MINUTES)
@Isolated("its instances rest on the access bound")
class DirectoryChaosIT {

    private static final Duration BOUND = Duration.ofMillis(500);
    /** The least for that, and some more. */
    private static final Duration LEASE = Duration.ofMillis(6_500);
    /** What an access takes beside a pause has room left. */
    private static final Duration PAUSE = BOUND.dividedBy(2);
    /** Two leases, of one that was killed and one that has not been granted in time, and as much again. */
    private static final Duration RECOVERY = LEASE.multipliedBy(4);

    private static final Duration AWAY = Duration.ofSeconds(8);

    private static final int OTHERS = 1_000;
    private static final int FAULTS = Depth.of(4, 8);

    private static final List<Kind<Instance>> OF_INSTANCES =
            List.of(StorageChaos.KILL, StorageChaos.STOP, StorageChaos.pause(PAUSE));
    private static final List<Kind<SharedDirectory>> OF_DIRECTORIES = List.of(
            new Kind<>("absence", AWAY, SharedDirectory::unmount, SharedDirectory::mount),
            new Kind<>("replacement", AWAY, SharedDirectory::replace, SharedDirectory::giveBack));

    private final Path directory;

    DirectoryChaosIT(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path directory) {
        this.directory = directory;
    }

    @Test
    @Tag("deep")
    void leasesInOneDirectoryAreExclusiveWhateverHappensToInstances() throws IOException {
        List<SharedDirectory> one = directories(1);
        SharedDirectory.fill(register(one.get(0)), OTHERS);
        judge(one, List.of(), List.of());
    }

    @Test
    void leasesInThreeDirectoriesAreExclusiveWhileOneIsAway() throws IOException {
        List<SharedDirectory> three = directories(3);
        List<Register> registers =
                three.stream().map(DirectoryChaosIT::register).toList();
        SharedDirectory.fill(new ReliableRegister(registers, Duration.ofSeconds(5), new SplittableRandom()), OTHERS);
        judge(three, OF_DIRECTORIES, three);
    }

    private List<SharedDirectory> directories(int count) throws IOException {
        List<SharedDirectory> directories = new ArrayList<>();
        for (int i = 1; i <= count; i++) {
            directories.add(new SharedDirectory(directory.resolve("leases-" + i)));
        }
        return directories;
    }

    private static Register register(SharedDirectory directory) {
        return new DirectoryRegister(directory.path());
    }

    private void judge(List<SharedDirectory> store, List<Kind<SharedDirectory>> kinds, List<SharedDirectory> victims) {
        try (StorageCell cell = cellOver(store).start()) {
            StorageChaos chaos = new StorageChaos(cell, FAULTS, OF_INSTANCES);
            chaos.happen(kinds, victims);

            StorageVerdict.after(chaos, cell)
                    .assertExclusiveIfTheBoundWasKept()
                    .assertBusy()
                    .assertNextLeaderWithin(RECOVERY);
        }
    }

    private StorageCell cellOver(List<SharedDirectory> store) {
        String paths = store.stream().map(each -> each.path().toString()).collect(Collectors.joining(","));
        return new StorageCell(
                directory,
                3,
                LEASE,
                List.of(),
                name -> List.of(
                        "--paxoslease.storage.directories=" + paths,
                        "--paxoslease.storage.access-bound=%dms".formatted(BOUND.toMillis()),
                        "--witness.names=16"));
    }
}
