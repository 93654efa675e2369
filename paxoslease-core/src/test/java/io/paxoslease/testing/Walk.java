package io.paxoslease.testing;

import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.agent.builder.AgentBuilder.RedefinitionStrategy;
import net.bytebuddy.agent.builder.ResettableClassFileTransformer;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.matcher.ElementMatchers;
import org.jspecify.annotations.Nullable;

/**
 * Sees which types of the main code a piece of work crosses, in all threads of this process. One at a time, since it instruments the classes of
 * the process.
 */
public final class Walk implements AutoCloseable {

    /** The objects in which a walk reads or writes its outcome. */
    private static final Set<String> MILESTONES =
            Set.of("LockMutex", "NodeRunner", "MessageCodec", "SlotTable", "Claim", "Tenure", "HeldLease");

    private static final StackWalker STACK = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
    private static final Set<String> entered = ConcurrentHashMap.newKeySet();
    private static final Set<String> onTheWay = ConcurrentHashMap.newKeySet();
    private static volatile boolean walking;

    private final Instrumentation instrumentation = ByteBuddyAgent.install();
    private final ResettableClassFileTransformer transformer;

    /**
     * Outermost types, by simple name.
     *
     * @param entered types with a method or a constructor that ran
     * @param onTheWay types on the stack when a milestone was entered: what a reader steps through
     */
    public record Seen(Set<String> entered, Set<String> onTheWay) {}

    /** Instruments the types below {@code io.paxoslease} that are not those of tests. */
    public Walk() {
        transformer = new AgentBuilder.Default()
                .disableClassFormatChanges()
                .with(RedefinitionStrategy.RETRANSFORMATION)
                .ignore(ElementMatchers.none())
                .type((type, loader, module, redefined, domain) ->
                        type.getName().startsWith("io.paxoslease.") && isMain(domain))
                .transform((builder, type, loader, module, domain) -> builder.visit(Advice.to(Entry.class)
                        .on(ElementMatchers.isMethod()
                                .or(ElementMatchers.isConstructor())
                                .and(ElementMatchers.not(ElementMatchers.isAbstract())))))
                .installOn(instrumentation);
    }

    private static boolean isMain(@Nullable ProtectionDomain domain) {
        if (domain == null || domain.getCodeSource() == null) {
            return false;
        }
        String place = domain.getCodeSource().getLocation().getPath();
        return !place.contains("test-classes") && !place.endsWith("-tests.jar");
    }

    /** What runs until the steps have returned. */
    public Seen of(Steps steps) throws Exception {
        entered.clear();
        onTheWay.clear();
        walking = true;
        try {
            steps.run();
        } finally {
            walking = false;
        }
        return new Seen(new TreeSet<>(entered), new TreeSet<>(onTheWay));
    }

    /** The types that docs/architecture.md names in the paragraph of that title. */
    public static Set<String> onThePage(String title) throws IOException {
        String page = Files.readString(Path.of("..", "docs", "architecture.md"));
        int start = page.indexOf("**" + title + "**") + title.length() + 4;
        Matcher names = Pattern.compile("`([A-Z]\\w+)`").matcher(page.substring(start, page.indexOf("\n\n", start)));
        return names.results().map(name -> name.group(1)).collect(Collectors.toCollection(TreeSet::new));
    }

    @Override
    public void close() {
        transformer.reset(instrumentation, RedefinitionStrategy.RETRANSFORMATION);
    }

    /** What is walked. */
    @FunctionalInterface
    public interface Steps {

        void run() throws Exception;
    }

    /** Called by the instrumented code. */
    public static void enter(String type) {
        if (walking) {
            String name = simpleName(type);
            entered.add(name);
            if (MILESTONES.contains(name)) {
                STACK.forEach(Walk::addIfMain);
            }
        }
    }

    private static void addIfMain(StackWalker.StackFrame frame) {
        if (frame.getClassName().startsWith("io.paxoslease.")
                && isMain(frame.getDeclaringClass().getProtectionDomain())) {
            onTheWay.add(simpleName(frame.getClassName()));
        }
    }

    private static String simpleName(String type) {
        return type.substring(type.lastIndexOf('.') + 1).replaceFirst("\\$.*", "");
    }

    /** Its body becomes the head of each method. */
    private static final class Entry {

        @Advice.OnMethodEnter
        static void enter(@Advice.Origin("#t") String type) {
            Walk.enter(type);
        }
    }
}
