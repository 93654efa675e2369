package io.paxoslease.benchmarks;

import java.util.function.IntConsumer;
import java.util.function.LongConsumer;
import java.util.random.RandomGenerator;

/**
 * Contenders for a lease in shared storage, as the paper has them: contend, hold once for Delta, release by writing that
 * it is free. An access takes an exponentially distributed time with mean 1, whatever delta is, and has its effect at a moment in
 * it that is as likely as any other.
 */
final class PaperContenders implements StorageStudy.Contenders {

    private static final double DELTA = StorageStudy.ACCESS_BOUND;
    private static final double LEASE = StorageStudy.HOLD;
    private static final long FREE = 0;

    private final StudyTime time = new StudyTime();
    private final RandomGenerator random;
    private long register = FREE;
    private long stamps;

    PaperContenders(RandomGenerator random) {
        this.random = random;
    }

    @Override
    public void run(int contenders, IntConsumer held) {
        for (int i = 0; i < contenders; i++) {
            contend(i, held);
        }
        while (time.next()) {
            // Until nobody waits for anything.
        }
    }

    @Override
    public double now() {
        return time.now();
    }

    private void contend(int client, IntConsumer held) {
        read(value -> seen(client, value, held));
    }

    private void seen(int client, long value, IntConsumer held) {
        if (value == FREE) {
            tryStamp(client, held);
        } else {
            time.after(
                    LEASE + 5 * DELTA,
                    () -> read(again -> {
                        if (again == value) {
                            tryStamp(client, held);
                        } else {
                            seen(client, again, held);
                        }
                    }));
        }
    }

    private void tryStamp(int client, IntConsumer held) {
        long stamp = ++stamps;
        write(
                stamp,
                () -> time.after(
                        2 * DELTA,
                        () -> read(value -> {
                            if (value == stamp) {
                                held.accept(client);
                                time.after(LEASE, () -> write(FREE, () -> {}));
                            } else {
                                seen(client, value, held);
                            }
                        })));
    }

    private void read(LongConsumer then) {
        double whole = access();
        double taken = whole * random.nextDouble();
        time.after(taken, () -> {
            long value = register;
            time.after(whole - taken, () -> then.accept(value));
        });
    }

    private void write(long value, Runnable then) {
        double whole = access();
        double taken = whole * random.nextDouble();
        time.after(taken, () -> {
            register = value;
            time.after(whole - taken, then);
        });
    }

    private double access() {
        return random.nextExponential();
    }
}
