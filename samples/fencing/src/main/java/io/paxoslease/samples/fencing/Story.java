package io.paxoslease.samples.fencing;

import io.paxoslease.samples.fencing.Events.Event;
import io.paxoslease.samples.fencing.Report.Kind;
import io.paxoslease.samples.fencing.instance.InstanceApplication;
import java.io.IOException;

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
    Kind tell() throws IOException, InterruptedException {
        for (String name : Instance.NAMES) {
            events.await(
                    name + " to be up",
                    event -> event.is(Kind.READY) && event.instance().name().equals(name));
        }
        Instance old = events.await(
                        "a leader",
                        event -> event.is(Kind.WRITTEN) && event.report().number() >= BEFORE)
                .instance();
        old.say(InstanceApplication.HOLD);
        Report held = events.await("the leader's next write", event -> event.is(Kind.ABOUT_TO_WRITE))
                .report();
        old.stop();
        screen.line(old.name(), "is stopped (SIGSTOP); it cannot know how long");

        awaitOthersInvoice(old, held.number() + MEANWHILE - 1);
        screen.line(old.name(), "is continued (SIGCONT), and does what it was about to do");
        old.say(InstanceApplication.GO);
        old.resume();
        Event late = events.await(
                "the late write",
                event -> event.instance() == old
                        && event.report().number() == held.number()
                        && (event.is(Kind.WRITTEN) || event.is(Kind.REJECTED)));
        awaitOthersInvoice(old, held.number() + MEANWHILE + AFTERWARDS - 1);
        return late.report().kind();
    }

    private void awaitOthersInvoice(Instance old, long number) throws InterruptedException {
        events.await(
                "the next leader's invoice " + number,
                event -> event.instance() != old
                        && event.is(Kind.WRITTEN)
                        && event.report().number() == number);
    }
}
