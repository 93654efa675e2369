package io.paxoslease.shell;

import static net.bytebuddy.matcher.ElementMatchers.named;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.paxos.Node;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.dynamic.loading.ClassReloadingStrategy;

/**
 * Sees every step of the nodes that it follows, at the one place where events enter the protocol and effects leave it. The
 * class {@link Node} itself reports, redefined while a tap is open, so that production code has no hook for tests.
 */
public final class StepTap implements AutoCloseable {

    /** Nodes compare by identity. */
    private static final Map<Node, LifeRecorder> followed = new ConcurrentHashMap<>();

    private final ClassReloadingStrategy strategy;

    private StepTap(ClassReloadingStrategy strategy) {
        this.strategy = strategy;
    }

    public static StepTap open() {
        ByteBuddyAgent.install();
        ClassReloadingStrategy strategy = ClassReloadingStrategy.fromInstalledAgent();
        try (var redefined = new ByteBuddy()
                .redefine(Node.class)
                .visit(Advice.to(Reporting.class).on(named("step")))
                .make()) {
            redefined.load(Node.class.getClassLoader(), strategy);
        }
        return new StepTap(strategy);
    }

    void follow(Node node, LifeRecorder recorder) {
        followed.put(node, recorder);
    }

    /** Called by nodes. */
    public static void stepped(Node node, Event event, Reading now, List<Effect> effects) {
        LifeRecorder recorder = followed.get(node);
        if (recorder != null) {
            recorder.stepped(event, now, effects);
        }
    }

    @Override
    public void close() throws IOException {
        followed.clear();
        strategy.reset(Node.class);
    }

    /** What is woven into the end of {@link Node#step}. */
    private static final class Reporting {

        @Advice.OnMethodExit
        static void exit(
                @Advice.This Node node,
                @Advice.Argument(0) Event event,
                @Advice.Argument(1) Reading now,
                @Advice.Return List<Effect> effects) {
            stepped(node, event, now, effects);
        }
    }
}
