package io.paxoslease.store;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
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
    private final LongSupplier nanos;

    ReplicaSet(List<MonotonicRegister> registers, Duration timeout, Duration checkTimeout, LongSupplier nanos) {
        this.replicas = IntStream.range(0, registers.size())
                .mapToObj(i ->
                        new Replica(registers.get(i), "%d of %d".formatted(i + 1, registers.size()), timeout, nanos))
                .toList();
        this.timeout = timeout;
        this.checkTimeout = checkTimeout;
        this.nanos = nanos;
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
        return new Round<>(question).run(majority(), timeout);
    }

    /**
     * Has all of them check themselves. Those that fail are missing from then on; those that hang as well.
     *
     * @throws IOException when no majority can be used
     */
    void check() throws IOException {
        Round<MonotonicRegister> round = new Round<>(register -> {
            register.store().check();
            return register;
        });
        round.run(replicas.size(), checkTimeout);
        round.silent.keySet().forEach(replica -> replica.isMissing(Replica.NO_ANSWER));
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

    /** One question to all of them. All but the outcomes belongs to the thread that asks. */
    private final class Round<T> {

        private final Question<T> question;
        private final BlockingQueue<Runnable> outcomes = new LinkedBlockingQueue<>();
        private final Map<Replica, Runnable> silent = new LinkedHashMap<>();
        private final Map<Replica, String> failures = new HashMap<>();
        private final List<T> answers = new ArrayList<>();

        private Round(Question<T> question) {
            this.question = question;
        }

        /**
         * @param wanted so many answers are waited for
         * @throws IOException when no majority has answered
         */
        private List<T> run(int wanted, Duration limit) throws IOException {
            long end = nanos.getAsLong() + limit.toNanos();
            replicas.forEach(this::begin);
            String when = "";
            try {
                while (answers.size() < wanted
                        && failures.size() <= replicas.size() - majority()
                        && !silent.isEmpty()) {
                    Runnable outcome = outcomes.poll(end - nanos.getAsLong(), TimeUnit.NANOSECONDS);
                    if (outcome == null) {
                        when = " within " + limit.toMillis() + " ms";
                        break;
                    }
                    outcome.run();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("Interrupted while stores were asked");
            } finally {
                silent.forEach(Replica::passOver);
            }
            if (answers.size() < majority()) {
                throw new IOException("Of %d stores, %d answered%s, and %d have to: %s"
                        .formatted(replicas.size(), answers.size(), when, majority(), problems()));
            }
            return answers;
        }

        private void begin(Replica replica) {
            Runnable access = () -> ask(replica);
            silent.put(replica, access);
            try {
                replica.execute(access);
            } catch (Error noThread) {
                failed(replica, noThread.toString());
            }
        }

        private void ask(Replica replica) {
            try {
                T answer = question.ask(replica.register);
                replica.answered();
                outcomes.add(() -> {
                    silent.remove(replica);
                    answers.add(answer);
                });
            } catch (IOException | RuntimeException e) {
                failed(replica, String.valueOf(e.getMessage()));
            } catch (Error e) {
                failed(replica, e.toString());
                throw e;
            }
        }

        private void failed(Replica replica, String reason) {
            replica.failed(reason);
            outcomes.add(() -> {
                silent.remove(replica);
                failures.put(replica, reason);
            });
        }

        /** Of each store that did not answer as it should. */
        private String problems() {
            return replicas.stream()
                    .filter(replica -> silent.containsKey(replica) || failures.containsKey(replica))
                    .map(replica -> replica.describe() + ": " + failures.getOrDefault(replica, Replica.NO_ANSWER))
                    .collect(Collectors.joining("; "));
        }
    }
}
