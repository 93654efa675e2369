package io.paxoslease.samples.shards;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** Instances are killed, paused and stopped, one at a time, while orders come in. In the end all orders are shipped. */
final class Story {

    /** For how long an instance stands still after others own its shards: they ship some of its orders meanwhile. */
    private static final long PAUSE_MILLIS = 1_000;

    private static final long PATIENCE_NANOS = 60_000_000_000L;
    private static final long LOOK_MILLIS = 100;

    private final Cell cell;
    private final Owners owners;
    private final Shop shop;
    private final Database database;
    private final Screen screen;

    Story(Cell cell, Owners owners, Shop shop, Database database, Screen screen) {
        this.cell = cell;
        this.owners = owners;
        this.shop = shop;
        this.database = database;
        this.screen = screen;
    }

    void tell(int kills) throws IOException, InterruptedException {
        cell.start();
        shop.open();
        awaitBalance();
        for (int i = 1; i <= kills; i++) {
            kill(random());
            awaitBalance();
            if (i % 2 == 1) {
                pause(random());
            } else {
                stop(random());
            }
            awaitBalance();
        }
        shop.close();
        screen.line("", "the shop is closed after %d orders".formatted(shop.placed()));
        awaitShipments();
        cell.stop();
    }

    private Instance random() {
        List<Instance> all = cell.all();
        return all.get(ThreadLocalRandom.current().nextInt(all.size()));
    }

    private void kill(Instance victim) throws IOException, InterruptedException {
        long start = System.nanoTime();
        show(victim, "is killed (SIGKILL to process %d)");
        victim.kill();
        victim.awaitEnd();
        cell.replace(victim);
        owners.awaitOwners(cell.all());
        showOwners(start);
    }

    private void stop(Instance victim) throws IOException, InterruptedException {
        long start = System.nanoTime();
        show(victim, "is stopped (SIGTERM to process %d)");
        victim.stop();
        owners.awaitOwners(cell.without(victim));
        showOwners(start);
        victim.awaitEnd();
        cell.replace(victim);
    }

    private void pause(Instance victim) throws IOException, InterruptedException {
        long start = System.nanoTime();
        show(victim, "is paused (SIGSTOP to process %d)");
        victim.pause();
        owners.awaitOwners(cell.without(victim));
        showOwners(start);
        TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        screen.line(victim.name(), "continues (SIGCONT)");
        victim.resume();
    }

    private void show(Instance victim, String what) {
        screen.line(
                victim.name(),
                what.formatted(victim.pid()) + " while it owns %d shards".formatted(owners.ownedBy(victim)));
    }

    private void showOwners(long start) {
        double seconds = (System.nanoTime() - start) / 1e9;
        screen.line(
                "",
                String.format(
                        Locale.ROOT, "all shards have an owner after %.1f s: %s", seconds, owners.shares(cell.all())));
    }

    private void awaitBalance() throws InterruptedException {
        owners.awaitBalance(cell.all());
        screen.line(
                "",
                "the shares are equal: %s. Of %d orders, %d are not shipped"
                        .formatted(owners.shares(cell.all()), shop.placed(), database.due()));
    }

    /** As long as it takes, unless that is too long: then some are missing. */
    private void awaitShipments() throws InterruptedException {
        long start = System.nanoTime();
        while (database.due() > 0 && System.nanoTime() - start < PATIENCE_NANOS) {
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
    }
}
