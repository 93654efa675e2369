package io.paxoslease.spring;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaModifier.FINAL;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.paxoslease.protocol.Printable;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Bean;

/** The house rules. */
class ArchitectureTest {

    private static final String INTEGRATION = "org.springframework.integration..";
    private static final String ACTUATOR = "org.springframework.boot.actuate..";

    private static final String[] JDBC = {
        "org.springframework.jdbc..", "org.springframework.dao..", "java.sql..", "javax.sql.."
    };

    private static final JavaClasses classes = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.paxoslease.spring");

    @Test
    void autoConfigurationsAreFinalWithoutPublicMembers() {
        classes()
                .that()
                .areAnnotatedWith(AutoConfiguration.class)
                .should()
                .haveModifier(FINAL)
                .check(classes);
        methods()
                .that()
                .areDeclaredInClassesThat()
                .areAnnotatedWith(AutoConfiguration.class)
                .should()
                .notBePublic()
                .check(classes);
        noFields()
                .that()
                .areDeclaredInClassesThat()
                .areAnnotatedWith(AutoConfiguration.class)
                .should()
                .bePublic()
                .allowEmptyShould(true)
                .check(classes);
        methods()
                .that()
                .areAnnotatedWith(Bean.class)
                .should()
                .bePackagePrivate()
                .check(classes);
    }

    /** Except what applications have beans of, and what the test module calls. */
    @Test
    void everythingElseThatConfiguresIsPackagePrivate() {
        classes()
                .that()
                .resideInAPackage("io.paxoslease.spring.autoconfigure..")
                .and()
                .areNotAnnotatedWith(AutoConfiguration.class)
                .and()
                .haveNameNotMatching(
                        ".*\\.(PaxosLeaseConnectionDetails|PaxosLeaseOptionsCustomizer|StandaloneByDefault)")
                .should()
                .notBePublic()
                .check(classes);
    }

    /** An application sees few of this module's types; the others are details that may change. */
    @Test
    void thePublicTypesAreFew() {
        List<String> types = classes.stream()
                .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
                .filter(type -> type.isTopLevelClass() && !type.getSimpleName().equals("package-info"))
                .map(JavaClass::getName)
                .sorted()
                .toList();
        assertThat(types).hasSizeBetween(30, 49);
    }

    @Test
    void everyAutoConfigurationIsListed() throws IOException {
        String listed = ModuleResources.read(
                "META-INF/spring/org.springframework.boot.autoconfigure.AutoConfiguration.imports");
        assertThat(listed.lines())
                .containsExactlyInAnyOrderElementsOf(classes.stream()
                        .filter(type -> type.isAnnotatedWith(AutoConfiguration.class))
                        .map(JavaClass::getName)
                        .toList());
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching("io.paxoslease.spring.(**)").should().beFreeOfCycles().check(classes);
    }

    @Test
    void nothingDependsOnTheAutoConfiguration() {
        noClasses()
                .that(not(resideInAPackage("io.paxoslease.spring.autoconfigure..")))
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.paxoslease.spring.autoconfigure..")
                .check(classes);
    }

    @Test
    void onlyTheFewThatMayReferToSpringIntegration() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.paxoslease.spring.lock")
                .and()
                .haveNameNotMatching(".*\\.leader\\.(PaxosLeaseLeaderInitiator(\\$.*)?|InitiatorElectionFactory(\\$.*)?"
                        + "|LeaderContext|ElectionContext|(RolePollers|RoleEndpoints|RoleMembers)(\\$.*)?"
                        + "|PaxosLeaseLeaderAutoConfiguration\\$Initiators)")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(INTEGRATION)
                .check(classes);
    }

    /** Spring Integration brings them along; an application may leave them out. */
    @Test
    void onlyTheFencesAndLockedCallsReferToTransactions() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.paxoslease.spring.fencing")
                .and()
                .haveNameNotMatching(".*\\.lock\\.LockedTransaction(\\$.*)?")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.springframework.transaction..")
                .check(classes);
    }

    @Test
    void onlyTheFewThatMayReferToTheActuator() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.paxoslease.spring.actuate")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(ACTUATOR)
                .check(classes);
    }

    @Test
    void onlyTheFewThatMayReferToMicrometerAndHealth() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.paxoslease.spring.actuate")
                .and()
                .haveNameNotMatching(".*\\.leader\\.(ActuatorHealthGroups|PaxosLeaseLeaderAutoConfiguration\\$Health)")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.micrometer..", "org.springframework.boot.health..", "org.springframework.boot.micrometer..")
                .check(classes);
    }

    @Test
    void onlyTheFencesAndTheStoreReferToJdbc() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.paxoslease.spring.fencing")
                .and()
                .haveNameNotMatching(".*\\.(Configured(Membership)?Store|DataSources)(\\$Unwrapping)?")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(JDBC)
                .check(classes);
    }

    /** The constructor with a cause is public from Spring Boot 4.1 on. */
    @Test
    void whatIsWrongWithAPropertyHasNoCause() {
        noClasses()
                .should()
                .callConstructor(
                        InvalidConfigurationPropertyValueException.class,
                        String.class,
                        Object.class,
                        String.class,
                        Throwable.class)
                .check(classes);
    }

    @Test
    void onlyThePublicApiOfTheCoreIsUsedAndItsFormOfNames() {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                                "io.paxoslease.protocol..",
                                "io.paxoslease.node..",
                                "io.paxoslease.transport..",
                                "io.netty..")
                        .and(not(belongToAnyOf(Printable.class))))
                .check(classes);
    }

    @Test
    void noBeanIsAnExecutor() {
        methods()
                .that()
                .areAnnotatedWith(Bean.class)
                .should()
                .notHaveRawReturnType(Executor.class)
                .andShould()
                .notHaveRawReturnType(ScheduledExecutorService.class)
                .check(classes);
    }
}
