package io.paxoslease.storage.register;

import io.paxoslease.runtime.Threads;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Stores that are asked all at once, each on threads of its own, until a majority has answered. Thread-safe. */
final class Bases {

    /** What is asked. */
    interface Question<T> {
        T ask(Rising base) throws IOException;
    }

    /** Accesses to one store at a time. Further ones wait, and are dropped when the others have answered. */
    static final int THREADS = 8;

    private static final long IDLE_SECONDS = 10;

    private final List<Base> bases;
    private final Duration patience;
    private final Duration checkPatience;

    Bases(List<Rising> bases, Duration patience, Duration checkPatience) {
        this.bases = bases.stream().map(Base::new).toList();
        this.patience = patience;
        this.checkPatience = checkPatience;
    }

    private int majority() {
        return bases.size() / 2 + 1;
    }

    /**
     * Asks all.
     *
     * @return what a majority answered
     * @throws IOException when none did in time, with what is known of each that did not
     */
    <T> List<T> ask(Question<T> question) throws IOException {
        return new Round<>(question, majority(), patience).answers();
    }

    /**
     * Has all of them check themselves.
     *
     * @return what is wrong with those that failed; those that hang count as well
     * @throws IOException when no majority can be used
     */
    List<String> check() throws IOException {
        Round<Rising> round = new Round<>(
                base -> {
                    base.base().check();
                    return base;
                },
                bases.size(),
                checkPatience);
        try {
            round.answers();
            return List.of();
        } catch (NoMajority e) {
            if (round.count() < majority()) {
                throw e;
            }
            return round.failures();
        }
    }

    String describe() {
        return "%d stores of which %d may fail: %s"
                .formatted(
                        bases.size(),
                        bases.size() - majority(),
                        bases.stream().map(Base::describe).collect(Collectors.joining(", ")));
    }

    private static final class NoMajority extends IOException {
        private static final long serialVersionUID = 1L;

        private NoMajority(String message) {
            super(message);
        }
    }

    private static final class Base {

        private final Rising rising;
        private final ThreadPoolExecutor pool;

        private Base(Rising rising) {
            this.rising = rising;
            pool = new ThreadPoolExecutor(
                    THREADS,
                    THREADS,
                    IDLE_SECONDS,
                    TimeUnit.SECONDS,
                    new LinkedBlockingQueue<>(),
                    Threads.daemon("paxoslease-store"));
            pool.allowCoreThreadTimeOut(true);
        }

        private String describe() {
            return rising.base().describe();
        }
    }

    /** One question to all of them. */
    private final class Round<T> {

        private final Question<T> question;
        private final int wanted;
        private final Duration limit;
        private final List<T> answers = new ArrayList<>();
        private final String[] states = new String[bases.size()];
        private int failed;
        private final CountDownLatch decided = new CountDownLatch(1);

        private Round(Question<T> question, int wanted, Duration limit) {
            this.question = question;
            this.wanted = wanted;
            this.limit = limit;
            Arrays.fill(states, "no answer");
        }

        private List<T> answers() throws IOException {
            List<Runnable> tasks = new ArrayList<>(bases.size());
            for (int i = 0; i < bases.size(); i++) {
                int index = i;
                Runnable task = () -> ask(index);
                tasks.add(task);
                bases.get(i).pool.execute(task);
            }
            try {
                if (!decided.await(limit.toNanos(), TimeUnit.NANOSECONDS)) {
                    fail("within " + limit.toMillis() + " ms");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("Interrupted while stores were asked");
            } finally {
                for (int i = 0; i < tasks.size(); i++) {
                    bases.get(i).pool.remove(tasks.get(i)); // behind others that hang
                }
            }
            synchronized (this) {
                if (answers.size() < wanted) {
                    fail("");
                }
                return List.copyOf(answers);
            }
        }

        private void ask(int index) {
            try {
                answered(index, question.ask(bases.get(index).rising));
            } catch (IOException | RuntimeException e) {
                failed(index, e);
            }
        }

        private synchronized void answered(int index, T answer) {
            states[index] = "";
            answers.add(answer);
            decide();
        }

        private synchronized void failed(int index, Throwable cause) {
            states[index] = String.valueOf(cause.getMessage());
            failed++;
            decide();
        }

        private void decide() {
            boolean hopeless = failed > bases.size() - majority();
            if (answers.size() >= wanted || hopeless || answers.size() + failed == bases.size()) {
                decided.countDown();
            }
        }

        private synchronized int count() {
            return answers.size();
        }

        /** A line for each store that did not answer as it should. */
        private synchronized List<String> failures() {
            List<String> failures = new ArrayList<>();
            for (int i = 0; i < states.length; i++) {
                if (!states[i].isEmpty()) {
                    failures.add(bases.get(i).describe() + ": " + states[i]);
                }
            }
            return failures;
        }

        private synchronized void fail(String when) throws NoMajority {
            if (answers.size() < wanted) {
                throw new NoMajority("Of %d stores, %d answered%s, and %d have to: %s"
                        .formatted(
                                bases.size(),
                                answers.size(),
                                when.isEmpty() ? "" : " " + when,
                                majority(),
                                String.join("; ", failures())));
            }
        }
    }
}
