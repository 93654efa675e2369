package io.paxoslease;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import io.paxoslease.node.SystemClock;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Printable;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.Timer;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The house rules that class files show. {@link SourceRulesTest} has those that only sources show. */
class ArchitectureTest {

    private static final String PROTOCOL = "io.paxoslease.protocol";
    private static final String PAXOS = "io.paxoslease.protocol.paxos";
    private static final String FLEASE = "io.paxoslease.protocol.flease";
    private static final String STORAGE = "io.paxoslease.protocol.storage";
    private static final String REGISTERS = "io.paxoslease.protocol.registers";
    private static final String WATCH = "io.paxoslease.protocol.watch";
    private static final String PLAN = "io.paxoslease.shards.plan";
    private static final String NETTY_TRANSPORT = "io.paxoslease.transport.netty..";
    private static final String ROOT = "io.paxoslease";
    private static final String LOCKS = "io.paxoslease.locks";
    private static final String ELECTION = "io.paxoslease.election";
    private static final String API = "";

    /** From the first segment of a package below the root to those that it may use. The public API is the root, with what monitoring reads. */
    private static final Map<String, Set<String>> ARROWS = Map.ofEntries(
            Map.entry("protocol", Set.of()),
            Map.entry(API, Set.of("protocol", "watch")),
            Map.entry("watch", Set.of()),
            Map.entry("store", Set.of("protocol", "jdbc", "membership")),
            Map.entry("jdbc", Set.of(API, "protocol")),
            Map.entry("transport", Set.of("protocol")),
            Map.entry("flease", Set.of(API)),
            Map.entry("storage", Set.of(API, "protocol", "store", "node")),
            Map.entry("node", Set.of(API, "protocol", "store", "transport", "flease", "storage", "watch")),
            Map.entry("locks", Set.of(API, "protocol", "node")),
            Map.entry("election", Set.of(API, "protocol", "node")),
            Map.entry("consensus", Set.of(API, "protocol", "store", "election")),
            Map.entry("membership", Set.of(API)),
            Map.entry("testing", Set.of(API, "protocol", "transport", "node")),
            Map.entry("shards", Set.of(API, "protocol", "node", "watch")));

    /** Single classes that may use single classes besides: the way from the API into the house, and values of the API. */
    private static final Set<String> DOORS = Set.of(
            "DefaultPaxosLease -> node.LocalNode",
            "DefaultPaxosLease -> node.NodeHandle",
            "TlsOptions -> transport.netty.TlsSetup",
            "transport -> monitor.ConnectionRefusal",
            "transport -> monitor.ClientCounts");

    /** Packages below the root, by first segment, that applications do not use. */
    private static final Set<String> INTERNAL = Set.of("protocol", "node", "transport");

    private static final List<Class<?>> WAITS =
            List.of(Thread.class, Object.class, LockSupport.class, CountDownLatch.class, Condition.class, Future.class);

    private static final int LARGEST_CYCLE = 6;

    private static final JavaClasses main = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .withImportOption(location -> !location.contains("-tests.jar"))
            .importPackages(ROOT);

    /** Values, collections and arithmetic: time and randomness come in as arguments, messages go out as values. */
    @Test
    void theProtocolIsPure() {
        check(classes()
                .that()
                .resideInAPackage(PROTOCOL)
                .should()
                .onlyDependOnClassesThat(pure(PROTOCOL))
                .as("what algorithms share knows none of them, and no clock, thread, future, logger or network"));
    }

    @Test
    void eachAlgorithmIsPureAndKnowsNoOther() {
        for (String algorithm : List.of(PAXOS, FLEASE, STORAGE, REGISTERS, WATCH)) {
            check(
                    classes()
                            .that()
                            .resideInAPackage(algorithm)
                            .should()
                            .onlyDependOnClassesThat(pure(algorithm))
                            .as(
                                    algorithm
                                            + " knows no other algorithm, store, clock, thread, future, logger, network or source of randomness"));
        }
    }

    /** The plan of shard groups is a function of views and times: of the protocol, it knows a moment and how to print a name. */
    @Test
    void thePlanOfShardsIsPure() {
        check(classes()
                .that()
                .resideInAPackage(PLAN)
                .should()
                .onlyDependOnClassesThat(pure(PLAN)
                        .and(DescribedPredicate.not(resideInAnyPackage(PROTOCOL, WATCH)))
                        .or(resideInAPackage("java.util.regex"))
                        .or(DescribedPredicate.describe(
                                "moments, printable names", type -> List.of(Moment.class, Printable.class).stream()
                                        .anyMatch(type.getBaseComponentType()::isEquivalentTo)))));
    }

    private static DescribedPredicate<JavaClass> pure(String own) {
        return resideInAnyPackage(
                        PROTOCOL,
                        WATCH,
                        own,
                        "java.lang",
                        "java.lang.invoke",
                        "java.lang.runtime",
                        "java.util",
                        "java.util.function",
                        "java.util.stream",
                        "java.util.random",
                        "java.math",
                        "java.nio.charset",
                        "org.jspecify.annotations")
                .or(belongToAnyOf(Duration.class))
                .and(DescribedPredicate.not(belongToAnyOf(
                        Thread.class,
                        Runtime.class,
                        ThreadLocal.class,
                        Process.class,
                        Random.class,
                        SplittableRandom.class,
                        Timer.class,
                        UUID.class)))
                .or(DescribedPredicate.describe("arrays of primitives", ArchitectureTest::isPrimitive));
    }

    private static boolean isPrimitive(JavaClass type) {
        return type.getBaseComponentType().isPrimitive();
    }

    @Test
    void theProtocolReadsNoClockAndNoSystemProperty() {
        check(noClasses()
                .that()
                .resideInAnyPackage(PROTOCOL, PAXOS, FLEASE, STORAGE, REGISTERS, WATCH, PLAN)
                .should()
                .dependOnClassesThat(belongToAnyOf(System.class)));
        check(noClasses()
                .that()
                .resideInAnyPackage(PROTOCOL, PAXOS, FLEASE, STORAGE, REGISTERS, WATCH, PLAN)
                .should()
                .accessTargetWhere(isMethod(Math.class, "random")));
    }

    /** Everything else takes the time from its node, so that a clock that a test turns drives it. A replicated register times its replicas. */
    @Test
    void theMonotonicClockIsReadInFewPlaces() {
        check(noClasses()
                .that()
                .haveNameNotMatching(
                        "io\\.paxoslease\\.(node\\.SystemClock|store\\.ReliableRegister|membership\\.FileMembershipStore)")
                .should()
                .accessTargetWhere(isMethod(System.class, "nanoTime")));
    }

    /** A lock or an election that waited by a clock of its own would not see the time of its node pass. */
    @Test
    void usersOfANodeWaitByItsClock() {
        check(noClasses()
                .that()
                .resideInAnyPackage(LOCKS, ELECTION)
                .should()
                .accessTargetWhere(DescribedPredicate.describe(
                        "it is a timed wait or a timer",
                        access -> WAITS.stream().anyMatch(type -> isOf(access.getTargetOwner(), type))
                                && isTimed(access))));
        check(noClasses()
                .that()
                .resideInAnyPackage(LOCKS, ELECTION, "io.paxoslease.shards")
                .should()
                .dependOnClassesThat(belongToAnyOf(ScheduledExecutorService.class, Timer.class)));
    }

    private static boolean isOf(JavaClass owner, Class<?> type) {
        return type == Object.class ? owner.isEquivalentTo(type) : owner.isAssignableTo(type);
    }

    /** By name and parameters: {@code wait(long)}, {@code await(long, TimeUnit)}, but not {@code wait()}. */
    private static boolean isTimed(JavaAccess<?> access) {
        return switch (access.getName()) {
            case "sleep", "parkNanos", "parkUntil", "delayedExecutor", "orTimeout", "completeOnTimeout" -> true;
            case "wait", "join", "await", "awaitNanos", "awaitUntil", "get" ->
                access.getTarget() instanceof CodeUnitAccessTarget code
                        && code.getRawParameterTypes().stream().anyMatch(JavaClass::isPrimitive);
            default -> false;
        };
    }

    /** The poll of {@code Consensus} is its caller's thread, and reads no clock. */
    @Test
    void nothingOutsideOfANodeSleeps() {
        check(noClasses()
                .that()
                .resideOutsideOfPackage("io.paxoslease.node")
                .and()
                .doNotHaveFullyQualifiedName("io.paxoslease.consensus.Consensus")
                .should()
                .accessTargetWhere(isMethod(Thread.class, "sleep")
                        .or(isMethod(LockSupport.class, "parkNanos"))
                        .or(isMethod(LockSupport.class, "parkUntil"))
                        .or(isMethod(CompletableFuture.class, "delayedExecutor"))));
    }

    @Test
    void theWallClockIsReadInOnePlace() {
        check(noClasses()
                .that()
                .doNotBelongToAnyOf(SystemClock.class)
                .should()
                .accessTargetWhere(isMethod(System.class, "currentTimeMillis")));
        check(noClasses()
                .should()
                .dependOnClassesThat(
                        resideInAPackage("java.time..").and(DescribedPredicate.not(belongToAnyOf(Duration.class))))
                .as("of java.time, nothing but durations is used: everything else reads a wall clock"));
    }

    @Test
    void nothingHereKnowsSpring() {
        check(noClasses().should().dependOnClassesThat().resideInAPackage("org.springframework.."));
    }

    @Test
    void dependenciesFollowTheArrows() {
        assertThat(breaches(ARROWS)).isEmpty();
    }

    /** An arrow that no class needs would let one in. Also shows that the rule sees each of them. */
    @Test
    void everyArrowIsNeeded() {
        ARROWS.forEach((from, targets) -> targets.forEach(target -> {
            Map<String, Set<String>> fewer = new HashMap<>(ARROWS);
            fewer.put(from, without(targets, target));
            assertThat(breaches(fewer)).as("without %s -> %s", from, target).isNotEmpty();
        }));
    }

    /** A reader takes in a few classes that need one another, in one package. */
    @Test
    void cyclesOfTypesAreSmallAndStayInOnePackage() {
        assertThat(cycles(edges())).allSatisfy(cycle -> {
            assertThat(cycle).hasSizeLessThanOrEqualTo(LARGEST_CYCLE);
            assertThat(cycle.stream().map(name -> name.substring(0, name.lastIndexOf('.') + 1)))
                    .as("%s", cycle)
                    .containsOnly(cycle.first().substring(0, cycle.first().lastIndexOf('.') + 1));
        });
    }

    /** Through the door, {@code DefaultPaxosLease}, the API and the node need each other. */
    @Test
    void theRuleOnCyclesSeesOneAcrossPackages() {
        Map<String, Set<String>> edges = edges();
        edges.computeIfAbsent("PaxosLease", name -> new TreeSet<>()).add("node.LocalNode");
        assertThat(cycles(edges)).anyMatch(cycle -> cycle.containsAll(Set.of("PaxosLease", "node.LocalNode")));
    }

    /** From each outermost class to those that it depends on, but for the door. */
    private static Map<String, Set<String>> edges() {
        Map<String, Set<String>> edges = new TreeMap<>();
        main.stream()
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .filter(dependency -> isOurs(dependency.getTargetClass()))
                .forEach(dependency -> edges.computeIfAbsent(name(dependency.getOriginClass()), name -> new TreeSet<>())
                        .add(name(dependency.getTargetClass())));
        Objects.requireNonNull(edges.get("DefaultPaxosLease")).removeAll(Set.of("node.LocalNode", "node.NodeHandle"));
        return edges;
    }

    /** Sets of types of which each leads to each. */
    private static List<SortedSet<String>> cycles(Map<String, Set<String>> edges) {
        Map<String, Set<String>> reached = new HashMap<>();
        edges.keySet().forEach(from -> reached.put(from, reachableFrom(from, edges)));
        return edges.keySet().stream()
                .map(from -> Objects.requireNonNull(reached.get(from)).stream()
                        .filter(to -> reached.getOrDefault(to, Set.of()).contains(from))
                        .collect(Collectors.<String, SortedSet<String>>toCollection(TreeSet::new)))
                .filter(cycle -> cycle.size() > 1)
                .distinct()
                .toList();
    }

    private static Set<String> reachableFrom(String from, Map<String, Set<String>> edges) {
        Set<String> reached = new TreeSet<>();
        Deque<String> open = new ArrayDeque<>(edges.getOrDefault(from, Set.of()));
        while (!open.isEmpty()) {
            String next = open.remove();
            if (reached.add(next)) {
                open.addAll(edges.getOrDefault(next, Set.of()));
            }
        }
        return reached;
    }

    private static Set<String> without(Set<String> all, String one) {
        return all.stream().filter(each -> !each.equals(one)).collect(Collectors.toSet());
    }

    /** Dependencies between rooms that are neither arrows nor doors. */
    private static Set<String> breaches(Map<String, Set<String>> arrows) {
        return main.stream()
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .filter(dependency -> isOurs(dependency.getTargetClass()))
                .filter(dependency -> {
                    String from = room(dependency.getOriginClass());
                    String to = room(dependency.getTargetClass());
                    return !from.equals(to)
                            && !arrows.getOrDefault(from, Set.of()).contains(to)
                            && !DOORS.contains(
                                    name(dependency.getOriginClass()) + " -> " + name(dependency.getTargetClass()))
                            && !DOORS.contains(from + " -> " + name(dependency.getTargetClass()));
                })
                .map(dependency -> name(dependency.getOriginClass()) + " -> " + name(dependency.getTargetClass()))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static boolean isOurs(JavaClass type) {
        return type.getPackageName().startsWith(ROOT);
    }

    /** The first segment of its package below the root. */
    private static String room(JavaClass type) {
        String below = type.getPackageName().substring(ROOT.length());
        return below.isEmpty() || below.equals(".monitor")
                ? API
                : below.substring(1).replaceFirst("\\..*", "");
    }

    /** Of its outermost class, below the root. */
    private static String name(JavaClass type) {
        return type.getBaseComponentType()
                .getName()
                .substring(ROOT.length() + 1)
                .replaceFirst("\\$.*", "");
    }

    /** What an application can name must not change with what it cannot. */
    @Test
    void noPublicSignatureNamesAnInternalType() {
        assertThat(leaks(type -> !isInternal(type))).isEmpty();
    }

    @Test
    void theRuleOnSignaturesSeesReturnTypesParametersAndSupertypes() {
        assertThat(leaks(type -> room(type).equals("node")))
                .anyMatch(leak -> leak.startsWith("node.LocalNode.of(PaxosLease)"))
                .anyMatch(leak -> leak.startsWith("node.LocalNode.makeHandlesWith"))
                .anyMatch(leak -> leak.startsWith("node.NodeRunner is a transport.Transport"));
    }

    /** Of public types: each supertype, and each public or protected member that names a type of an internal package. */
    private static Set<String> leaks(Predicate<JavaClass> from) {
        Set<String> leaks = new TreeSet<>();
        main.stream().filter(from).filter(ArchitectureTest::isPublic).forEach(type -> {
            Stream.concat(type.getRawSuperclass().stream(), type.getRawInterfaces().stream())
                    .filter(ArchitectureTest::isInternal)
                    .forEach(target -> leaks.add("%s is a %s".formatted(name(type), name(target))));
            type.getMembers().stream().filter(ArchitectureTest::isSeen).forEach(member -> named(member)
                    .filter(ArchitectureTest::isInternal)
                    .forEach(target -> leaks.add("%s.%s names %s".formatted(name(type), shown(member), name(target)))));
        });
        return leaks;
    }

    private static boolean isInternal(JavaClass type) {
        JavaClass base = type.getBaseComponentType();
        return isOurs(base)
                && (INTERNAL.contains(room(base)) || base.getPackageName().equals(PLAN));
    }

    /** A type in a public one is seen as that is. */
    private static boolean isPublic(JavaClass type) {
        return type.getModifiers().contains(JavaModifier.PUBLIC)
                && type.getEnclosingClass().map(ArchitectureTest::isPublic).orElse(true);
    }

    private static boolean isSeen(JavaMember member) {
        return !member.getModifiers().contains(JavaModifier.SYNTHETIC)
                && (member.getModifiers().contains(JavaModifier.PUBLIC)
                        || member.getModifiers().contains(JavaModifier.PROTECTED));
    }

    private static Stream<JavaClass> named(JavaMember member) {
        if (member instanceof JavaField field) {
            return field.getAllInvolvedRawTypes().stream();
        }
        return ((JavaCodeUnit) member).getAllInvolvedRawTypes().stream();
    }

    private static String shown(JavaMember member) {
        return member instanceof JavaCodeUnit unit
                ? unit.getName()
                        + unit.getRawParameterTypes().stream()
                                .map(JavaClass::getSimpleName)
                                .collect(Collectors.joining(", ", "(", ")"))
                : member.getName();
    }

    @Test
    void theTransportOverTcpIsOneOfSeveral() {
        check(noClasses()
                .that()
                .resideInAPackage("io.paxoslease.transport")
                .should()
                .dependOnClassesThat(resideInAPackage(NETTY_TRANSPORT)));
    }

    /** A node's machine is the node's business; the transport carries messages and knows no more of the protocol. */
    @Test
    void theTransportSeesMessagesOnly() {
        check(
                noClasses()
                        .that()
                        .resideInAPackage("io.paxoslease.transport..")
                        .should()
                        .dependOnClassesThat()
                        .haveNameMatching(
                                "io\\.paxoslease\\.protocol(\\.paxos|\\.flease|\\.registers)?\\.(Node|NodeView|Acceptor|Proposer|Event|Effect|Moment|Reading|Timing|Quorum|FleaseNode|MaxRegisters|RegisterCall)"));
    }

    @Test
    void socketsAreOpenedByTheNettyTransportOnly() {
        check(noClasses()
                .that()
                .resideOutsideOfPackage(NETTY_TRANSPORT)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.netty.channel..", "io.netty.bootstrap..", "io.netty.handler.."));
    }

    @Test
    void theRulesSeeTheClassesTheyAreAbout() {
        check(classes()
                .that()
                .haveFullyQualifiedName("io.paxoslease.protocol.paxos.Acceptor")
                .or()
                .haveFullyQualifiedName("io.paxoslease.protocol.flease.FleaseNode")
                .should()
                .bePublic());
        check(classes()
                .that()
                .haveFullyQualifiedName("io.paxoslease.node.SystemClock")
                .should()
                .accessTargetWhere(isMethod(System.class, "nanoTime")));
    }

    /** Called, or referred to as {@code Type::method}. */
    private static DescribedPredicate<JavaAccess<?>> isMethod(Class<?> type, String method) {
        return DescribedPredicate.describe(
                "it is " + type.getSimpleName() + "." + method,
                access -> access.getTargetOwner().isEquivalentTo(type)
                        && access.getName().equals(method));
    }

    private static void check(ArchRule rule) {
        rule.check(main);
    }
}
