package io.paxoslease.samples.fencing;

import io.paxoslease.samples.fencing.Events.Event;
import io.paxoslease.samples.fencing.Report.Kind;
import io.paxoslease.samples.fencing.instance.InstanceApplication;
import java.io.IOException;
import java.util.List;

/** A leader is stopped between its check and its write, another one leads, and then the first one goes on. */
final class Story {

    private static final long BEFORE = 3;
    private static final long MEANWHILE = 2;
    private static final long AFTERWARDS = 2;

    private final Events events;
    private final Screen screen;

    Story(Events events, Screen screen) {
        this.events = events;
        this.screen = screen;
    }

    /** Answers what became of the late write: WRITTEN or REJECTED. */
    Kind tell(List<Instance> instances) throws IOException, InterruptedException {
        for (Instance instance : instances) {
            events.await(instance.name() + " to be up", event -> event.is(Kind.READY) && event.instance() == instance);
        }
        events.await(
                "the first invoices",
                event -> event.is(Kind.WRITTEN) && event.report().number() >= BEFORE);
        Event held = hold(instances);
        Instance old = held.instance();
        old.stop();
        screen.line(old.name(), "is stopped (SIGSTOP to process %d), and does not know it".formatted(old.pid()));

        long number = held.report().number();
        awaitOthersInvoice(old, number + MEANWHILE - 1);
        screen.line(old.name(), "is continued (SIGCONT), and does what it was about to do");
        old.say(InstanceApplication.GO);
        old.resume();
        Event late = events.await(
                "the late write",
                event -> event.instance() == old
                        && event.report().number() == number
                        && (event.is(Kind.WRITTEN) || event.is(Kind.REJECTED)));
        awaitOthersInvoice(old, number + MEANWHILE + AFTERWARDS - 1);
        return late.report().kind();
    }

    /** Makes the leader wait before its next write; the others go on. */
    private Event hold(List<Instance> instances) throws IOException, InterruptedException {
        for (Instance instance : instances) {
            instance.say(InstanceApplication.HOLD);
        }
        Event held = events.await("the leader's next write", event -> event.is(Kind.ABOUT_TO_WRITE));
        for (Instance instance : instances) {
            if (instance != held.instance()) {
                instance.say(InstanceApplication.GO);
            }
        }
        return held;
    }

    private void awaitOthersInvoice(Instance old, long number) throws InterruptedException {
        events.await(
                "the next leader's invoice " + number,
                event -> event.instance() != old
                        && event.is(Kind.WRITTEN)
                        && event.report().number() >= number);
    }
}
