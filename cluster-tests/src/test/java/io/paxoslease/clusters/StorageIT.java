package io.paxoslease.clusters;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** Three instances that meet in a database, and what happens to it. */
@RequiresDocker
@Timeout(value = 8, unit = TimeUnit.MINUTES)
class StorageIT extends LostLeaderContract {

    /** Long enough for the default access bound. */
    private static final Duration LEASE = Duration.ofSeconds(3);

    private static Cell cell;

    @BeforeAll
    static void startCell() {
        cell = Cell.overDatabase(
                        3,
                        "--paxoslease.lease-time=" + LEASE.toMillis(),
                        "--paxoslease.max-lease-time=" + LEASE.toMillis())
                .start();
    }

    @AfterAll
    static void removeCell() {
        if (cell != null) {
            cell.close();
        }
    }

    @Override
    Cell cell() {
        return cell;
    }

    @Test
    void nobodyLeadsWhileTheDatabaseHangs() {
        cell.store().pause();
        nobodyLeadsUntil(cell.store()::unpause);
    }

    @Test
    void nobodyLeadsWhileTheDatabaseCannotBeReached() {
        cell.store().disconnect();
        nobodyLeadsUntil(cell.store()::reconnect);
    }

    private void nobodyLeadsUntil(Runnable mended) {
        try {
            awaitRevoked();
            Wait.until("nobody has led for twice the lease time", () -> {
                History history = cell.history();
                long over = history.end() + LEASE.multipliedBy(2).toNanos();
                return cell.members().stream().allMatch(each -> history.lastSample(each.name()) > over);
            });
            Wait.until("all say that there is no store", () -> cell.members().stream()
                    .allMatch(each -> isWithoutStore(each.health())));
        } finally {
            mended.run();
        }

        assertThat(cell.awaitAgreement().token()).isGreaterThan(leader.token());
    }

    private static boolean isWithoutStore(JsonNode health) {
        return health.path("status").asString("").equals("UNKNOWN")
                && health.path("details").has("store");
    }
}
