package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import com.tngtech.archunit.core.domain.JavaFieldAccess;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Exclusion rests on a few files, which {@code docs/architecture.md} lists. The rest of the algorithm is advice: it decides when to
 * ask, and never that a grant counts.
 */
class SafetyCoreTest {

    private static final String PROTOCOL = "io.paxoslease.protocol";
    private static final String PAXOS = PROTOCOL + ".paxos";
    private static final Path SOURCES = Path.of("src/main/java/io/paxoslease/protocol");

    private static final Set<String> CORE = Set.of(
            "Ballot",
            "AcceptorSet",
            "AcceptorSlot",
            "AcceptorRules",
            "Extensions",
            "Counters",
            "Round",
            "Attempt",
            "Tenure",
            "Tenures",
            "RenewalBatch",
            "SharedDeadline");

    /** What every algorithm shares, and the core uses. */
    private static final Set<String> VALUES = Set.of("Moment", "Reading", "Timing", "Incarnation", "Quorum");

    private static final int MOST_LINES_OF_CODE = 1_200;

    /** An answer or an effect with authority, or a request that acceptors act on. */
    private static final Set<String> AUTHORITY = Set.of(
            PROTOCOL + ".Effect$Granted",
            PROTOCOL + ".Effect$Extended",
            PROTOCOL + ".Effect$ExtendedTogether",
            PAXOS + ".PaxosMessage$Propose",
            PAXOS + ".PaxosMessage$Extend",
            PAXOS + ".PaxosMessage$Release",
            PAXOS + ".PaxosMessage$ReleaseTo",
            PAXOS + ".PaxosMessage$Open",
            PAXOS + ".PaxosMessage$Accepted",
            PAXOS + ".PaxosMessage$Extended");

    /** What a claim has for the core only. */
    private static final Set<String> CLAIM = Set.of("incarnation", "lastCounter");

    /** When to ask next, and when to look: written by advice. */
    private static final Set<String> TIMES = Set.of(
            "Tenure.renewOnce",
            "Tenure.needsRepropose",
            "RenewalBatch.timeout",
            "RenewalBatch.renewAt",
            "RenewalBatch.noneEndsBefore",
            "RenewalBatch.failures");

    /** Change a record, the table of records, who has agreed, or what is held. */
    private static final Set<String> CHANGES = Set.of(
            "AcceptorSlot.promise",
            "AcceptorSlot.accept",
            "AcceptorSlot.extend",
            "AcceptorSlot.fence",
            "AcceptorSlot.drop",
            "SlotTable.add",
            "SlotTable.save",
            "SlotTable.saveTimes",
            "SlotTable.remove",
            "Round.agreed",
            "Tenure.<init>",
            "Tenure.extend",
            "Tenure.share",
            "SharedDeadline.extend",
            "Claim.granted",
            "Claim.extended",
            "Claim.released",
            "Claim.disowned");

    private static final JavaClasses main = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.paxoslease");

    @Test
    void onlyTheCoreMakesWhatHasAuthority() {
        Set<String> others = calls(call -> call.getName().equals("<init>")
                && AUTHORITY.contains(call.getTargetOwner().getName()));
        // A message copies itself with a hint.
        assertThat(others).allMatch(call -> call.startsWith("PaxosMessage "));
    }

    @Test
    void onlyTheCoreChangesRecordsAndTenures() {
        assertThat(calls(call -> inPaxos(call.getTargetOwner())
                        && CHANGES.contains(simpleName(call.getTargetOwner()) + "." + call.getName())))
                .isEmpty();
    }

    @Test
    void onlyTheCoreWritesItsFields() {
        Set<String> others = main.stream()
                .filter(type -> !isCore(type))
                .flatMap(type -> type.getFieldAccessesFromSelf().stream())
                .filter(access -> access.getAccessType() == JavaFieldAccess.AccessType.SET)
                .filter(access -> inPaxos(access.getTargetOwner()))
                .filter(access -> isCore(access.getTargetOwner())
                        || (simpleName(access.getTargetOwner()).equals("Claim") && CLAIM.contains(access.getName())))
                .map(SafetyCoreTest::text)
                .filter(access -> !TIMES.contains(access.substring(access.indexOf("> ") + 2)))
                .collect(Collectors.toCollection(TreeSet::new));
        // The table reads a slot from its columns; a resource is tracked under the present incarnation.
        assertThat(others)
                .allMatch(access ->
                        access.startsWith("SlotTable -> AcceptorSlot.") || access.equals("Claim -> Claim.incarnation"));
    }

    /** A claim changes its state itself, and only that makes states; its counters are drawn by {@link #CORE}. */
    @Test
    void twoClassesWriteWhatAProposerKnowsOfAResource() {
        assertThat(main.stream()
                        .flatMap(SafetyCoreTest::accesses)
                        .filter(call -> call.getName().equals("<init>") && isOfClaimState(call.getTargetOwner()))
                        .filter(call -> !isOfClaimState(call.getOriginOwner()))
                        .map(call -> simpleName(call.getOriginOwner())))
                .containsOnly("Claim");
        assertThat(main.stream()
                        .flatMap(type -> type.getFieldAccessesFromSelf().stream())
                        .filter(access -> access.getAccessType() == JavaFieldAccess.AccessType.SET)
                        .filter(access -> isOfClaimState(access.getTargetOwner())
                                || access.getTargetOwner().getName().equals(PAXOS + ".Claim"))
                        .map(access -> simpleName(access.getOriginOwner()))
                        .filter(writer -> !writer.equals("ClaimState")))
                .containsOnly("Claim", "Counters");
    }

    private static boolean isOfClaimState(JavaClass type) {
        return inPaxos(type) && simpleName(type).equals("ClaimState");
    }

    /** Each rule sees what it is about: without a core class in the list, it finds that class. */
    @Test
    void theRulesSeeTheCore() {
        assertThat(callsFrom(
                        "Tenures",
                        call -> AUTHORITY.contains(call.getTargetOwner().getName())))
                .anyMatch(call -> call.contains("Granted"))
                .anyMatch(call -> call.contains("Release"));
        assertThat(callsFrom(
                        "AcceptorRules",
                        call -> CHANGES.contains(simpleName(call.getTargetOwner()) + "." + call.getName())))
                .anyMatch(call -> call.contains("AcceptorSlot.accept"))
                .anyMatch(call -> call.contains("SlotTable.save"));
        assertThat(callsFrom(
                        "Tenures", call -> CHANGES.contains(simpleName(call.getTargetOwner()) + "." + call.getName())))
                .anyMatch(call -> call.contains("Claim.granted"))
                .anyMatch(call -> call.contains("Claim.released"));
    }

    @Test
    void theCoreIsListedAndCanBeReadInAnHour() throws IOException {
        String page = Files.readString(Path.of("../docs/architecture.md"));
        String section = page.substring(
                page.indexOf("## The safety core in one reading"),
                page.indexOf("Above the protocol the holder's side"));
        Set<String> listed = new LinkedHashSet<>();
        Pattern row = Pattern.compile("(?m)^\\| \\d+ \\| ([^|]*) \\|");
        row.matcher(section).results().forEach(found -> Pattern.compile("`(\\w+)`")
                .matcher(found.group(1))
                .results()
                .forEach(name -> listed.add(name.group(1))));
        assertThat(listed).containsAll(CORE).containsAll(VALUES).hasSize(CORE.size() + VALUES.size());
        assertThat(linesOfCode(CORE, "paxos") + linesOfCode(VALUES, "")).isLessThanOrEqualTo(MOST_LINES_OF_CODE);
    }

    private static int linesOfCode(Set<String> names, String folder) throws IOException {
        int lines = 0;
        for (String name : names) {
            List<String> all = Files.readAllLines(SOURCES.resolve(folder).resolve(name + ".java"));
            lines += (int) all.stream()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty() && !line.matches("(import|package) .*|/?\\*.*|//.*"))
                    .count();
        }
        return lines;
    }

    /** By the other classes of the algorithm. */
    private static Set<String> calls(Predicate<JavaCodeUnitAccess<?>> rule) {
        return main.stream()
                .filter(type -> inPaxos(type) && !isCore(type))
                .flatMap(SafetyCoreTest::accesses)
                .filter(rule)
                .filter(call -> !call.getOriginOwner().equals(call.getTargetOwner()))
                .map(SafetyCoreTest::text)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> callsFrom(String core, Predicate<JavaCodeUnitAccess<?>> rule) {
        return accesses(main.get(PAXOS + "." + core))
                .filter(rule)
                .map(SafetyCoreTest::text)
                .collect(Collectors.toSet());
    }

    /** Calls, and references to methods. */
    private static Stream<JavaCodeUnitAccess<?>> accesses(JavaClass type) {
        return Stream.concat(type.getCodeUnitCallsFromSelf().stream(), type.getCodeUnitReferencesFromSelf().stream());
    }

    private static boolean inPaxos(JavaClass type) {
        return type.getPackageName().equals(PAXOS);
    }

    private static boolean isCore(JavaClass type) {
        return inPaxos(type) && CORE.contains(simpleName(type));
    }

    /** Of the outermost class. */
    private static String simpleName(JavaClass type) {
        String name = type.getName();
        return name.substring(name.lastIndexOf('.') + 1).replaceFirst("\\$.*", "");
    }

    private static String text(JavaAccess<?> access) {
        String owner = access.getTargetOwner().getName();
        return simpleName(access.getOriginOwner()) + " -> " + owner.substring(owner.lastIndexOf('.') + 1) + "."
                + access.getName();
    }
}
