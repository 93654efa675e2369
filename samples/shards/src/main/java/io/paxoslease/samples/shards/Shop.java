package io.paxoslease.samples.shards;

import io.paxoslease.samples.shards.Database.Placed;
import io.paxoslease.shards.ShardGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Places orders, numbered from one on, until it is closed. All orders of a customer belong to one shard. */
final class Shop implements AutoCloseable {

    private static final int CUSTOMERS = 1_000;
    private static final List<String> ITEMS = List.of("lamp", "table", "chair", "shelf");
    private static final int BATCH = 10;
    private static final long PAUSE_MILLIS = 100;

    private final Database database;
    private final Thread thread = new Thread(this::run, "shop");
    private volatile boolean isClosed;
    private final AtomicLong placed = new AtomicLong();
    private volatile String failure = "";

    Shop(Database database) {
        this.database = database;
        thread.setDaemon(true);
    }

    void open() {
        thread.start();
    }

    /** The number of the last order. */
    long placed() {
        return placed.get();
    }

    private void run() {
        try {
            while (!isClosed) {
                database.place(next());
                placed.addAndGet(BATCH);
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
        } catch (InterruptedException e) {
            failure = "It was interrupted";
        } catch (RuntimeException e) {
            failure = String.valueOf(e.getMessage());
        }
    }

    private List<Placed> next() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        long last = placed.get();
        List<Placed> orders = new ArrayList<>();
        for (int i = 1; i <= BATCH; i++) {
            String customer = "customer-" + random.nextInt(CUSTOMERS);
            String item = ITEMS.get(random.nextInt(ITEMS.size()));
            orders.add(new Placed(last + i, ShardGroup.indexOf(customer, Owners.SHARDS), customer, item));
        }
        return orders;
    }

    /**
     * Returns when the last order was placed.
     *
     * @throws IllegalStateException if it had to close before
     */
    @Override
    public void close() {
        isClosed = true;
        boolean isInterrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
        if (!failure.isEmpty()) {
            throw new IllegalStateException("The shop cannot place orders: " + failure);
        }
    }
}
