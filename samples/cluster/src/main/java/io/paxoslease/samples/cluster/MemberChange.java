package io.paxoslease.samples.cluster;

import io.paxoslease.samples.cluster.Instance.State;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Changes the members while the cell serves, by one rolling restart: the new members first, then the clients, then the previous members
 * one at a time, each only when the one before it votes. When the generation is sealed, those that have left are stopped. An instance
 * that the user has stopped or paused meanwhile is waited for or left out, as an operator would do.
 */
final class MemberChange {

    private static final long POLL_MILLIS = 200;
    /** Half of the lease time: by then all leases have been renewed with a member that votes again, so the next one may stop. */
    private static final long RENEWAL_MILLIS = 1_000;

    /** Asks whether something is so now. */
    private interface Question {
        boolean isSo() throws InterruptedException;
    }

    private final Members next;
    private final Function<String, Instance> find;
    private final List<String> clients;
    private final Narrator narrator;
    private final InstanceProbe probe = new InstanceProbe();
    private volatile String step = "begins";

    /**
     * @param next the generation to change to; instances that are started from now on are configured with it
     * @param find an instance by its name
     * @param clients their names
     */
    MemberChange(Members next, Function<String, Instance> find, List<String> clients, Narrator narrator) {
        this.next = next;
        this.find = find;
        this.clients = clients;
        this.narrator = narrator;
    }

    /** What it does at present, in words. Any thread. */
    String step() {
        return step;
    }

    /** Returns when the change is over. An interrupt ends it. */
    void run() throws InterruptedException, IOException {
        for (String name : next.joining()) {
            begin("starts %s with the new list".formatted(name));
            startIfDown(find.apply(name));
        }
        for (String name : next.joining()) {
            awaitVote(find.apply(name));
        }
        for (String name : clients) {
            restart(find.apply(name));
        }
        for (int i = next.before().size() - 1; i >= 0; i--) {
            Instance instance = find.apply(next.before().get(i));
            restart(instance);
            awaitVote(instance);
            Thread.sleep(RENEWAL_MILLIS);
        }
        begin("waits for the seal");
        await(null, this::isSealed);
        narrator.members(
                "", "generation %d is sealed: %s decide alone".formatted(next.generation(), Members.text(next.now())));
        for (String name : next.leaving()) {
            begin("stops %s, which has left".formatted(name));
            end(find.apply(name));
        }
    }

    private void begin(String what) {
        step = what;
        narrator.members("", "the change " + what);
    }

    private boolean isSealed() throws InterruptedException {
        boolean one = false;
        for (String name : next.now()) {
            Instance instance = find.apply(name);
            if (instance.state() == State.UP) {
                if (!probe.knowsSealed(instance.node(), next.generation())) {
                    return false;
                }
                one = true;
            }
        }
        return one;
    }

    /** One that is down gets the new list when it is started. */
    private void restart(Instance instance) throws InterruptedException, IOException {
        String name = instance.node().name();
        if (instance.state() == State.DOWN) {
            narrator.members(name, "is down: it gets the new list when it is started");
            return;
        }
        begin("restarts %s with the new list".formatted(name));
        end(instance);
        startIfDown(instance);
    }

    private static void startIfDown(Instance instance) throws IOException {
        if (instance.state() == State.DOWN) {
            instance.start();
        }
    }

    /** Gracefully, as soon as its state allows that. */
    private void end(Instance instance) throws InterruptedException {
        await(instance, () -> instance.state() != State.STARTING && instance.state() != State.PAUSED);
        if (instance.state() == State.UP) {
            instance.stop();
        }
        await(null, () -> instance.state() == State.DOWN);
    }

    private void awaitVote(Instance instance) throws InterruptedException {
        String name = instance.node().name();
        step = "waits until %s votes".formatted(name);
        await(instance, () -> probe.votes(instance.node(), next.generation()));
        narrator.members(name, instance.state() == State.DOWN ? "is down: the change goes on without it" : "votes");
    }

    /** @param unlessDown the wait ends when that one is down; null if it does not */
    private static void await(@Nullable Instance unlessDown, Question question) throws InterruptedException {
        while (!question.isSo() && (unlessDown == null || unlessDown.state() != State.DOWN)) {
            Thread.sleep(POLL_MILLIS); // between two questions
        }
    }
}
