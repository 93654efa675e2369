package io.paxoslease;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import io.paxoslease.runtime.SystemClock;
import io.paxoslease.runtime.Threads;
import io.paxoslease.storage.Register;
import io.paxoslease.storage.register.ReliableRegister;
import java.io.IOException;
import java.time.Duration;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.Timer;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The house rules that class files show. {@link SourceRulesTest} has those that only sources show. */
class ArchitectureTest {

    private static final String PROTOCOL = "io.paxoslease.protocol..";
    private static final String FLEASE = "io.paxoslease.flease..";
    /** Without the packages of the stores, and of what else stores are used for. */
    private static final String STORAGE = "io.paxoslease.storage";

    private static final String RUNTIME = "io.paxoslease.runtime..";
    private static final String TRANSPORT = "io.paxoslease.transport..";
    private static final String NETTY_TRANSPORT = "io.paxoslease.transport.netty..";
    private static final String ROOT = "io.paxoslease";

    private static final JavaClasses main = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(ROOT);

    /** Values, collections and arithmetic: time and randomness come in as arguments, messages go out as values. */
    @Test
    void theProtocolIsPure() {
        check(
                classes()
                        .that()
                        .resideInAnyPackage(PROTOCOL, FLEASE)
                        .should()
                        .onlyDependOnClassesThat(pure("io.paxoslease.flease"))
                        .as(
                                "the protocol, and Flease, know no clock, thread, future, logger, network or source of randomness"));
    }

    /** What a store is may fail as stores do; the client of it does not call it. */
    @Test
    void theClientOfSharedStorageIsPure() {
        check(
                classes()
                        .that()
                        .resideInAPackage(STORAGE)
                        .and()
                        .doNotBelongToAnyOf(Register.class)
                        .should()
                        .onlyDependOnClassesThat(pure(STORAGE))
                        .as(
                                "the client of shared storage knows no clock, thread, future, logger, network or source of randomness"));
        check(classes()
                .that()
                .belongToAnyOf(Register.class)
                .should()
                .onlyDependOnClassesThat(pure(STORAGE).or(belongToAnyOf(IOException.class))));
        check(noClasses()
                .that()
                .resideInAPackage(STORAGE)
                .should()
                .accessTargetWhere(isMethod(Register.class, "read")
                        .or(isMethod(Register.class, "write"))
                        .or(isMethod(Register.class, "compareAndSet"))));
    }

    private static DescribedPredicate<JavaClass> pure(String own) {
        return resideInAnyPackage(
                        "io.paxoslease.protocol",
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
                .resideInAnyPackage(PROTOCOL, FLEASE, STORAGE)
                .should()
                .dependOnClassesThat(belongToAnyOf(System.class)));
        check(noClasses()
                .that()
                .resideInAnyPackage(PROTOCOL, FLEASE, STORAGE)
                .should()
                .accessTargetWhere(isMethod(Math.class, "random")));
    }

    /** The relatives share types, not rules. */
    @Test
    void theProtocolKnowsNoRelative() {
        check(noClasses().that().resideInAPackage(PROTOCOL).should().dependOnClassesThat(resideInAPackage(FLEASE)));
    }

    /** Deadlines are compared with readings of the one clock; the others measure how long a caller waits, a lock is unused or a store is silent. */
    @Test
    void theMonotonicClockIsReadInFewPlaces() {
        check(noClasses()
                .that()
                .doNotBelongToAnyOf(
                        SystemClock.class,
                        Threads.class,
                        LockState.class,
                        LockTenure.class,
                        Candidacy.class,
                        ReliableRegister.class)
                .should()
                .accessTargetWhere(isMethod(System.class, "nanoTime")));
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
    void thePackagesAreFreeOfCycles() {
        check(slices().assignedFrom(new ByPackage()).should().beFreeOfCycles());
    }

    @Test
    void dependenciesPointOneWay() {
        check(noClasses()
                .that()
                .resideInAPackage(TRANSPORT)
                .should()
                .dependOnClassesThat(resideInAnyPackage(RUNTIME, ROOT)));
        check(noClasses()
                .that()
                .resideInAPackage(RUNTIME)
                .should()
                .dependOnClassesThat(resideInAnyPackage(NETTY_TRANSPORT, ROOT)));
        check(noClasses()
                .that()
                .resideInAPackage("io.paxoslease.transport")
                .should()
                .dependOnClassesThat(resideInAPackage(NETTY_TRANSPORT)));
    }

    /** A node's machine is the runtime's business; the transport carries messages and knows no more of the protocol. */
    @Test
    void theTransportSeesMessagesOnly() {
        check(
                noClasses()
                        .that()
                        .resideInAPackage(TRANSPORT)
                        .should()
                        .dependOnClassesThat()
                        .haveNameMatching(
                                "io\\.paxoslease\\.(protocol|flease)\\.(Node|NodeView|Acceptor|Proposer|Event|Effect|Moment|Reading|Timing|Quorum|FleaseNode)"));
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
                .haveFullyQualifiedName("io.paxoslease.protocol.Acceptor")
                .or()
                .haveFullyQualifiedName("io.paxoslease.flease.FleaseNode")
                .should()
                .bePublic());
        check(classes()
                .that()
                .haveFullyQualifiedName("io.paxoslease.runtime.SystemClock")
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

    private static final class ByPackage implements SliceAssignment {

        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            return type.getPackageName().startsWith(ROOT)
                    ? SliceIdentifier.of(type.getPackageName())
                    : SliceIdentifier.ignore();
        }

        @Override
        public String getDescription() {
            return "packages of PaxosLease";
        }
    }
}
