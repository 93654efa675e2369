package io.paxoslease.store;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Stores that are asked all at once, each on threads of its own, until a majority has answered. Thread-safe. */
final class ReplicaSet {

    /** What is asked. */
    interface Question<T> {
        T ask(MonotonicRegister base) throws IOException;
    }

    private final List<Replica> bases;
    private final Duration patience;
    private final Duration checkPatience;

    ReplicaSet(List<MonotonicRegister> bases, Duration patience, Duration checkPatience, LongSupplier nanos) {
        this.bases = IntStream.range(0, bases.size())
                .mapToObj(i -> new Replica(bases.get(i), "%d of %d".formatted(i + 1, bases.size()), patience, nanos))
                .toList();
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
     * Has all of them check themselves. Those that fail are missing from then on; those that hang as well.
     *
     * @throws IOException when no majority can be used
     */
    void check() throws IOException {
        Round<MonotonicRegister> round = new Round<>(
                base -> {
                    base.base().check();
                    return base;
                },
                bases.size(),
                checkPatience);
        try {
            round.answers();
        } catch (NoMajority e) {
            if (round.count() < majority()) {
                throw e;
            }
            round.missSilent();
        }
    }

    /** Those that are done without at present, and why. */
    Map<String, String> missing() {
        Map<String, String> missing = new LinkedHashMap<>();
        for (Replica base : bases) {
            String trouble = base.trouble();
            if (trouble != null) {
                missing.put(base.label(), trouble);
            }
        }
        return missing;
    }

    String describe() {
        return "%d stores of which %d may fail: %s"
                .formatted(
                        bases.size(),
                        bases.size() - majority(),
                        bases.stream().map(Replica::describe).collect(Collectors.joining(", ")));
    }

    private static final class NoMajority extends IOException {
        private static final long serialVersionUID = 1L;

        private NoMajority(String message) {
            super(message);
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
            Arrays.fill(states, Replica.NO_ANSWER);
        }

        private List<T> answers() throws IOException {
            List<Runnable> tasks = new ArrayList<>(bases.size());
            for (int i = 0; i < bases.size(); i++) {
                int index = i;
                Runnable task = () -> ask(index);
                tasks.add(task);
                try {
                    bases.get(i).execute(task);
                } catch (Error noThread) {
                    failed(bases.get(i), i, noThread.toString());
                }
            }
            try {
                if (!decided.await(limit.toNanos(), TimeUnit.NANOSECONDS)) {
                    fail("within " + limit.toMillis() + " ms");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("Interrupted while stores were asked");
            } finally {
                end(tasks);
            }
            synchronized (this) {
                if (answers.size() < wanted) {
                    fail("");
                }
                return List.copyOf(answers);
            }
        }

        private void ask(int index) {
            Replica base = bases.get(index);
            try {
                T answer = question.ask(base.rising);
                base.answered();
                answered(index, answer);
            } catch (IOException | RuntimeException e) {
                failed(base, index, String.valueOf(e.getMessage()));
            } catch (Error e) {
                failed(base, index, e.toString());
                throw e;
            }
        }

        private void failed(Replica base, int index, String reason) {
            base.failed(reason);
            failed(index, reason);
        }

        private void end(List<Runnable> tasks) {
            silent().forEach(i -> bases.get(i).passOver(tasks.get(i)));
        }

        private void missSilent() {
            silent().forEach(i -> bases.get(i).isMissing(Replica.NO_ANSWER));
        }

        private synchronized List<Integer> silent() {
            return IntStream.range(0, states.length)
                    .filter(i -> Replica.NO_ANSWER.equals(states[i]))
                    .boxed()
                    .toList();
        }

        private synchronized void answered(int index, T answer) {
            states[index] = "";
            answers.add(answer);
            decide();
        }

        private synchronized void failed(int index, String reason) {
            states[index] = reason;
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
