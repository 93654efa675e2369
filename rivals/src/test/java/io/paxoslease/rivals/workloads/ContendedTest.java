package io.paxoslease.rivals.workloads;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.rivals.Client;
import io.paxoslease.rivals.Mutex;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

class ContendedTest {

    private static final int MILLIS = 100;

    @Test
    void aLockThatExcludesHasNoOverlaps() throws Exception {
        ReentrantLock lock = new ReentrantLock(true);
        Client client = client(lock::lock, lock::unlock);
        Map<String, Double> figures = Contended.run(List.of(client, client), 1, MILLIS);
        assertThat(figures).containsEntry("overlaps", 0.0);
        assertThat(figures.get("handovers-per-s")).isPositive();
        assertThat(figures.get("locks-per-s")).isGreaterThanOrEqualTo(figures.get("handovers-per-s"));
    }

    @Test
    void aLockThatDoesNotExcludeIsFoundOut() throws Exception {
        Client client = client(() -> {}, () -> {});
        assertThat(Contended.run(List.of(client, client), 1, MILLIS).get("overlaps"))
                .isPositive();
    }

    private static Client client(Runnable lock, Runnable unlock) {
        return new Client() {
            @Override
            public Mutex mutex(String key) {
                return new Mutex() {
                    @Override
                    public void lock() {
                        lock.run();
                    }

                    @Override
                    public void unlock() {
                        unlock.run();
                    }
                };
            }

            @Override
            public void close() {}
        };
    }
}
