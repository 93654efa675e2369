package io.paxoslease.rivals.workloads;

import io.paxoslease.rivals.Client;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Thousands of clients in one process, which then hold a lock each. */
public final class Crowd {

    /** Beyond the members, where members are clients. */
    private static final int FIRST = 100;

    private static final int THREADS = 16;

    private final Opener opener;
    private final List<Client> clients = new ArrayList<>();

    /** Opens one client. */
    public interface Opener {
        Client open(int index) throws Exception;
    }

    /** Of clients that are opened so. */
    public Crowd(Opener opener) {
        this.opener = opener;
    }

    /** What is done with each number. */
    private interface Task<T> {
        T run(int index) throws Exception;
    }

    /** Opens so many, and returns when all of them can take locks. Once for each process. */
    public Map<String, Double> open(int count) throws Exception {
        long begin = System.nanoTime();
        clients.addAll(each(count, index -> opener.open(FIRST + index)));
        for (Client client : clients) {
            client.awaitReady();
        }
        return Map.of("seconds", seconds(begin));
    }

    /** Has each lock a key of its own. */
    public Map<String, Double> lockEach() throws Exception {
        long begin = System.nanoTime();
        each(clients.size(), index -> {
            clients.get(index).mutex("held-" + index).lock();
            return index;
        });
        return Map.of("seconds", seconds(begin));
    }

    /** The threads live on: locks are theirs. */
    private <T> List<T> each(int count, Task<T> task) throws InterruptedException, ExecutionException {
        ExecutorService pool = Executors.newFixedThreadPool(THREADS);
        List<Future<T>> running = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int index = i;
            running.add(pool.submit(() -> task.run(index)));
        }
        List<T> answers = new ArrayList<>();
        for (Future<T> each : running) {
            answers.add(each.get());
        }
        return answers;
    }

    private static double seconds(long begin) {
        return (System.nanoTime() - begin) / 1e9;
    }
}
