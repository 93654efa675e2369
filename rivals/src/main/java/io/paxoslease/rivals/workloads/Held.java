package io.paxoslease.rivals.workloads;

import io.paxoslease.rivals.Client;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** Many keys, locked by a few threads and never unlocked; renewed by them when nobody else does. */
public final class Held {

    private final Client client;
    private volatile @Nullable Exception failure;

    /** Locks of that client. */
    public Held(Client client) {
        this.client = client;
    }

    /** Locks so many keys; the threads go on living. Once for each process. */
    public Map<String, Double> hold(int count) throws Exception {
        long begin = System.nanoTime();
        int threads = client.holders();
        CountDownLatch locked = new CountDownLatch(threads);
        for (int i = 0; i < threads; i++) {
            int first = i;
            Thread thread = new Thread(() -> live(first, count, locked), "holder-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        locked.await();
        Exception failed = failure;
        if (failed != null) {
            throw failed;
        }
        return Map.of("seconds", (System.nanoTime() - begin) / 1e9);
    }

    private void live(int first, int count, CountDownLatch locked) {
        try {
            List<String> mine = new ArrayList<>();
            boolean byHand = !client.renewByHand().isZero();
            for (int i = first; i < count; i += client.holders()) {
                String key = key(i);
                client.mutex(key).lock();
                if (byHand) {
                    mine.add(key);
                }
            }
            locked.countDown();
            renewForEver(mine);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            failure = e;
            locked.countDown();
        }
    }

    private void renewForEver(List<String> keys) throws Exception {
        Duration every = client.renewByHand();
        while (true) {
            Thread.sleep(every.isZero() ? Long.MAX_VALUE : every.toMillis());
            for (String key : keys) {
                client.renew(key);
            }
        }
    }

    private static String key(int i) {
        return "held-" + i;
    }
}
