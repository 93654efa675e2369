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
        T ask(MonotonicRegister register) throws IOException;
    }

    private final List<Replica> replicas;
    private final Duration timeout;
    private final Duration checkTimeout;

    ReplicaSet(List<MonotonicRegister> registers, Duration timeout, Duration checkTimeout, LongSupplier nanos) {
        this.replicas = IntStream.range(0, registers.size())
                .mapToObj(i ->
                        new Replica(registers.get(i), "%d of %d".formatted(i + 1, registers.size()), timeout, nanos))
                .toList();
        this.timeout = timeout;
        this.checkTimeout = checkTimeout;
    }

    private int majority() {
        return replicas.size() / 2 + 1;
    }

    /**
     * Asks all.
     *
     * @return what a majority answered
     * @throws IOException when none did in time, with what is known of each that did not
     */
    <T> List<T> ask(Question<T> question) throws IOException {
        Round<T> round = new Round<>(question, majority());
        round.run(timeout);
        return round.answers();
    }

    /**
     * Has all of them check themselves. Those that fail are missing from then on; those that hang as well.
     *
     * @throws IOException when no majority can be used
     */
    void check() throws IOException {
        Round<MonotonicRegister> round = new Round<>(
                register -> {
                    register.store().check();
                    return register;
                },
                replicas.size());
        round.run(checkTimeout);
        round.answers();
        round.silent().forEach(i -> replicas.get(i).isMissing(Replica.NO_ANSWER));
    }

    /** Those that are done without at present, and why. */
    Map<String, String> missing() {
        Map<String, String> missing = new LinkedHashMap<>();
        for (Replica replica : replicas) {
            String trouble = replica.trouble();
            if (trouble != null) {
                missing.put(replica.label(), trouble);
            }
        }
        return missing;
    }

    String describe() {
        return "%d stores of which %d may fail: %s"
                .formatted(
                        replicas.size(),
                        replicas.size() - majority(),
                        replicas.stream().map(Replica::describe).collect(Collectors.joining(", ")));
    }

    /** One question to all of them. */
    private final class Round<T> {

        private final Question<T> question;
        private final int wanted;
        private final List<T> answers = new ArrayList<>();
        private final String[] states = new String[replicas.size()];
        private int failed;
        private String when = "";
        private final CountDownLatch decided = new CountDownLatch(1);

        /** @param wanted so many answers are waited for */
        private Round(Question<T> question, int wanted) {
            this.question = question;
            this.wanted = wanted;
            Arrays.fill(states, Replica.NO_ANSWER);
        }

        private void run(Duration limit) throws InterruptedIOException {
            List<Runnable> tasks = new ArrayList<>(replicas.size());
            for (int i = 0; i < replicas.size(); i++) {
                int index = i;
                Runnable task = () -> ask(index);
                tasks.add(task);
                try {
                    replicas.get(i).execute(task);
                } catch (Error noThread) {
                    failed(replicas.get(i), i, noThread.toString());
                }
            }
            try {
                if (!decided.await(limit.toNanos(), TimeUnit.NANOSECONDS)) {
                    when = " within " + limit.toMillis() + " ms";
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("Interrupted while stores were asked");
            } finally {
                silent().forEach(i -> replicas.get(i).passOver(tasks.get(i)));
            }
        }

        /** @throws IOException when they are not those of a majority */
        private synchronized List<T> answers() throws IOException {
            if (answers.size() < majority()) {
                throw new IOException("Of %d stores, %d answered%s, and %d have to: %s"
                        .formatted(replicas.size(), answers.size(), when, majority(), String.join("; ", failures())));
            }
            return List.copyOf(answers);
        }

        private void ask(int index) {
            Replica replica = replicas.get(index);
            try {
                T answer = question.ask(replica.register);
                replica.answered();
                answered(index, answer);
            } catch (IOException | RuntimeException e) {
                failed(replica, index, String.valueOf(e.getMessage()));
            } catch (Error e) {
                failed(replica, index, e.toString());
                throw e;
            }
        }

        private void failed(Replica replica, int index, String reason) {
            replica.failed(reason);
            failed(index, reason);
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
            boolean hopeless = failed > replicas.size() - majority();
            if (answers.size() >= wanted || hopeless || answers.size() + failed == replicas.size()) {
                decided.countDown();
            }
        }

        /** A line for each store that did not answer as it should. */
        private List<String> failures() {
            List<String> failures = new ArrayList<>();
            for (int i = 0; i < states.length; i++) {
                if (!states[i].isEmpty()) {
                    failures.add(replicas.get(i).describe() + ": " + states[i]);
                }
            }
            return failures;
        }
    }
}
