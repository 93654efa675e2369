package io.paxoslease.samples.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The members are changed on the page: two join, one leaves. */
@Timeout(600)
class MembersPageIT {

    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final Duration SNAPSHOTS = Duration.ofMillis(50);
    private static final List<String> AFTER = List.of("n1", "n2", "n4", "n5");

    private final RunningLauncher launcher = new RunningLauncher(
            "--base-port=" + RunningLauncher.freePorts(20_000), "--http-port=" + RunningLauncher.freePorts(25_000));
    /** What the page has said of the membership. */
    private final Set<String> said = new HashSet<>();

    @AfterEach
    void nothingIsLeft() {
        launcher.endEverything();
    }

    @Test
    void twoMembersJoinOneLeavesAndTheSealIsShown() throws Exception {
        Browser.problem().ifPresent(MembersPageIT::skip);
        launcher.start();
        String url = launcher.await(0, "Open (http://\\S+)").group(1);
        try (Browser browser = Browser.start()) {
            browser.open(url);
            ShownCell before = awaitPage(browser, cell -> cell.agreed().isPresent());
            assertThat(before.membership()).isEqualTo("Generation 1: a majority of n1, n2, n3 decides.");

            for (String name : List.of("n3", "n4", "n5")) {
                browser.run("document.getElementById('member-' + arguments[0]).click(); return true", name);
            }
            browser.press("Change members");
            awaitPage(browser, cell -> cell.message().equals("The members change to n1, n2, n4, n5."));
            browser.press("Change members");
            awaitPage(browser, cell -> cell.message().startsWith("Members: a change is under way: it "));
            awaitPage(browser, cell -> cell.membership().startsWith("Generation 2 is not sealed"));
            awaitPage(browser, cell -> cell.events().stream()
                    .anyMatch(event -> event.equals("the change restarts n2 with the new list")));
            assertThat(browser.accessibilityProblems()).isEmpty();
            picture(browser);

            ShownCell after = awaitPage(
                    browser,
                    cell -> cell.nodes().stream()
                                    .map(ShownCell.Node::name)
                                    .toList()
                                    .equals(AFTER)
                            && cell.leaders().size() == 1
                            && cell.summary().endsWith("4 of 4 instances answer."));
            assertThat(after.membership())
                    .matches("Generation 2 is sealed: since .* a majority of n1, n2, n4, n5 decides alone\\.");
            assertThat(after.events())
                    .contains(
                            "generation 2 is sealed: n1, n2, n4, n5 decide alone",
                            "the change to n1, n2, n4, n5 is over");
            awaitPage(browser, cell -> cell.evenShares("n1", "n2", "n4", "n5").isPresent());
            assertThat(said)
                    .anyMatch(text -> text.contains("majorities of both n1, n2, n3 and n1, n2, n4, n5 decide."
                            + " Previous members not known to run it: n1, n2, n3."))
                    .anyMatch(text -> text.contains("Previous members not known to run it: n1, n2. It is sealed when"))
                    .anyMatch(text -> text.contains("It can be sealed from "));
        }
    }

    private static void skip(String reason) {
        System.err.printf("%n*** SKIPPED: the page is not tested, or not all of it: %s.%n%n", reason);
        abort(reason);
    }

    /** Waits until the page shows that. At no moment does it show two leaders. */
    private ShownCell awaitPage(Browser browser, Predicate<ShownCell> condition) {
        return await().atMost(PATIENCE)
                .pollInterval(SNAPSHOTS)
                .until(
                        () -> {
                            ShownCell cell = ShownCell.in(browser);
                            said.add(cell.membership());
                            assertThat(cell.leaders()).as(cell.toString()).hasSizeLessThan(2);
                            return cell;
                        },
                        condition);
    }

    private static void picture(Browser browser) throws IOException {
        String directory = System.getProperty("screenshots", "");
        if (!directory.isEmpty()) {
            browser.run("document.getElementById('members-title').scrollIntoView(); return true");
            Files.createDirectories(Path.of(directory));
            Files.write(Path.of(directory, "page-members.png"), browser.screenshot());
        }
    }
}
