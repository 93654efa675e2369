package io.paxoslease.samples.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openqa.selenium.Keys;

/** The page in a real browser, with the three instances of the sample behind it. Each test leaves an agreed cell. */
@Timeout(600)
class PageIT {

    private static final String[] ALL = {"n1", "n2", "n3"};
    private static final int MOST_TABS = 40;
    /** Three processes and a browser start at once, on a machine that may be busy. */
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private static final Duration SNAPSHOTS = Duration.ofMillis(50);
    /** Longer than an answer counts as fresh, and than a lease. */
    private static final Duration STILL = Duration.ofSeconds(3);

    private static RunningLauncher launcher;
    private static Browser browser;
    private static String url;
    private static int http;

    private String leader;

    @BeforeAll
    static void openThePage() throws Exception {
        Browser.problem().ifPresent(PageIT::skip);
        http = RunningLauncher.freePorts(25_000);
        launcher = new RunningLauncher("--base-port=" + RunningLauncher.freePorts(20_000), "--http-port=" + http);
        launcher.start();
        url = launcher.await(0, "Open (http://\\S+)").group(1);
        browser = Browser.start();
        browser.open(url);
    }

    private static void skip(String reason) {
        System.err.printf("%n*** SKIPPED: the page is not tested, or not all of it: %s.%n%n", reason);
        abort(reason);
    }

    @AfterAll
    static void nothingIsLeft() {
        if (browser != null) {
            browser.close();
        }
        if (launcher != null) {
            launcher.endEverything();
        }
    }

    @BeforeEach
    void theCellAgrees() {
        browser.resize(1200, 1000, 1);
        browser.preferNothing();
        ShownCell.in(browser).nodes().stream()
                .flatMap(node -> node.buttons().stream())
                .filter(button -> button.matches("(Start|Resume|Heal) n\\d"))
                .forEach(browser::press); // what a test that failed has left
        leader = awaitAgreement();
    }

    /** An instance that ends refuses what it is asked before the page knows that; the browser notes that by itself. */
    @AfterEach
    void theConsoleHasNoErrors() {
        assertThat(browser.console())
                .filteredOn(entry -> !entry.contains("/actuator/") || !entry.contains("net::ERR_"))
                .isEmpty();
    }

    @Test
    void whoLeadsIsShownWithItsLeaseAndItsToken() {
        ShownCell shown = awaitPage(cell -> cell.node(leader).lease().matches("[01]\\.\\d s of 2\\.0 s"));

        assertThat(shown.node(leader).token()).matches("Fencing token \\d+");
        assertThat(shown.summary()).isEqualTo(leader + " leads billing. 3 of 3 instances answer.");
        assertThat(shown.roles().get(0)).startsWith("billing", leader, "certain");
        assertThat(shown.nodes()).allSatisfy(each -> assertThat(each.peers()).doesNotContain("not reachable"));
        assertThat(shown.events()).anyMatch(event -> event.startsWith(leader + " leads"));
    }

    /** The other algorithms' answers, put to the same words. */
    @Test
    void clocksStoresAndCertaintyAreWorded() {
        Object said = browser.await("""
                const done = arguments[arguments.length - 1];
                import("/cell.js").then(cell => {
                    const up = { process: "UP" };
                    const view = (node, owner, lastLoss) => {
                        const view = new cell.View();
                        const lease = { resource: "role:x", kind: "ROLE", name: "x", state: "WAITING", owner, lastLoss };
                        view.answered({ node: { clock: { trusted: true }, ...node }, leases: [lease] }, performance.now());
                        return view;
                    };
                    const out = view({ state: "QUARANTINED",
                        quarantine: { reason: "CLOCK_OUT_OF_BOUNDS", remainingMillis: 0 } });
                    const knows = view({ state: "SERVING" }, { nodeId: "b", certain: true }, { reason: "CLOCK", at: 0 });
                    const store = { description: "a directory", maxMicros: 1500, accessBoundMillis: 100, trouble: "disk full" };
                    const client = view({ state: "FAILED", reachable: 0, majority: 1, store: { ...store, problem: "A twin" } });
                    done([cell.describe(up, out).detail, cell.describe(up, knows).detail, cell.opinion(up, knows, "role:x"),
                        cell.describe(up, client).detail, cell.contacts(client),
                        ...cell.storeLines(client.answer.node)].join("\\n"));
                }, problem => done(String(problem)));
                """);

        assertThat(said).asString().matches("""
                It does not take part until its clock is known to be within the clock bound of a majority's\\.
                It knows for certain that b leads x\\. It led x until .*: its clock left the bound\\.
                b, certain
                A twin
                Store
                a directory
                longest of the latest accesses 1\\.5 ms, the bound is 100 ms
                the latest access failed: disk full""");
    }

    @Test
    void clientsAreTold() {
        Object said = browser.await("""
                const done = arguments[arguments.length - 1];
                import("/cell.js").then(cell => {
                    const contacts = node => {
                        const view = new cell.View();
                        view.answered({ node: { state: "SERVING", clock: { trusted: true }, reachable: 3, majority: 2, ...node },
                            leases: [] }, performance.now());
                        return cell.contacts(view);
                    };
                    done([contacts({ mode: "CLIENT" }), contacts({ mode: "MEMBER", clients: { connected: 5 } })].join("\\n"));
                }, problem => done(String(problem)));
                """);

        assertThat(said).hasToString("""
                Members: 3 members answer; 2 must
                Peers: 3 members answer, itself included; 2 must. 5 clients are connected""");
    }

    @Test
    void theLeaseRunsDownBetweenTwoAnswers() {
        Object widths = browser.await("""
                const done = arguments[arguments.length - 1];
                const widths = [];
                const look = () => {
                    widths.push(document.querySelector(".lease:not([hidden]) [data-slot=fill]")?.style.transform);
                    if (widths.length < 60) { requestAnimationFrame(look); } else { done(new Set(widths).size); }
                };
                look();
                """);
        // Were it drawn with the answers alone, it would have some 15 widths in these 60 frames.
        assertThat((Long) widths).isGreaterThan(30);
    }

    @Test
    void everyShardHasOneOwnerAndAllInstancesShareThem() {
        ShownCell shown = awaitPage(PageIT::isShared);

        assertThat(shown.shards()).hasSize(32);
        assertThat(shown.evenShares(ALL).orElseThrow().values()).containsExactlyInAnyOrder(11L, 11L, 10L);
        assertThat(shown.shardSummary())
                .matches("n1 owns 1\\d, n2 owns 1\\d, n3 owns 1\\d, 0 of 32 shards of accounts are free\\.");
        assertThat(shown.shards()).allSatisfy(each -> assertThat(each.text()).matches("\\d+ " + each.owner()));
        awaitPage(PageIT::hasAColourForEachOwner); // colours change within 150 ms
    }

    private static boolean hasAColourForEachOwner(ShownCell cell) {
        Map<String, Set<String>> colours = cell.shards().stream()
                .collect(Collectors.groupingBy(
                        ShownCell.Shard::owner, Collectors.mapping(ShownCell.Shard::colour, Collectors.toSet())));
        return colours.size() == ALL.length
                && colours.values().stream().allMatch(each -> each.size() == 1)
                && Set.copyOf(colours.values()).size() == ALL.length;
    }

    @Test
    void theShardsOfAStoppedInstanceMoveToTheOthersAndBack() throws IOException {
        ShownCell before = awaitStillShards();
        String stopped = other(leader);
        String third = Stream.of(ALL)
                .filter(each -> !each.equals(leader) && !each.equals(stopped))
                .findFirst()
                .orElseThrow();

        browser.press("Stop " + stopped);
        ShownCell shown = awaitPage(cell -> cell.evenShares(leader, third).isPresent());
        assertThat(shown.shards()).zipSatisfy(before.shards(), (now, earlier) -> assertThat(now.owner())
                .as("only what was the stopped one's moves")
                .matches(owner -> earlier.owner().equals(stopped) || owner.equals(earlier.owner())));
        browser.run("document.getElementById('shards-title').scrollIntoView(); return true");
        picture("shards");

        awaitPage(cell -> cell.node(stopped).state().equals("Down")); // it ends after its shards have gone
        browser.press("Start " + stopped);
        awaitPage(PageIT::isShared);
        awaitAgreement();
    }

    @Test
    void theShardsOfAKilledInstanceAreOwnedByTheOthersWhenTheirLeasesAreOver() {
        awaitPage(PageIT::isShared);
        String killed = other(leader);

        browser.press("Kill " + killed);
        awaitPage(cell -> cell.node(killed).state().equals("Down")
                && cell.shards().stream().noneMatch(each -> each.owner().equals(killed))
                && cell.shards().stream().allMatch(ShownCell.Shard::certain));

        browser.press("Start " + killed);
        awaitPage(PageIT::isShared);
        awaitAgreement();
    }

    @Test
    void aLeaderThatYieldsIsFollowedByAnother() throws Exception {
        browser.press("Make " + leader + " yield");

        ShownCell shown =
                awaitPage(cell -> cell.leaders().size() == 1 && !cell.leaders().contains(leader));
        String next = shown.leaders().get(0);
        assertThat(awaitPage(cell -> cell.message().contains("yielded")).message())
                .isEqualTo(leader + " has yielded billing.");
        awaitPage(cell -> happened(cell, next + " leads") && happened(cell, leader + " no longer leads"));
        assertThat(awaitAgreement()).isNotEqualTo(leader);
    }

    @Test
    void aRoleIsHandedOverToTheChosenInstance() throws Exception {
        String next = other(leader);

        browser.press("Hand over to " + next);

        awaitPage(cell -> cell.message().equals(leader + " hands billing over to " + next + "."));
        awaitPage(cell -> cell.leaders().equals(List.of(next)));
        assertThat(awaitAgreement()).isEqualTo(next);
    }

    @Test
    void theLeaderIsNotHandedOverToItself() {
        browser.press("Hand over to " + leader);

        awaitPage(cell -> cell.message().equals(leader + " leads already."));
    }

    @Test
    void whoDoesNotLeadIsToldThatItCannotYield() {
        String follower = other(leader);

        browser.press("Make " + follower + " yield");

        awaitPage(cell -> cell.message().equals(follower + " does not lead, so it cannot yield."));
    }

    @Test
    void aLeaderThatIsCutOffLosesItsLeaseAndFollowsWhenHealed() throws IOException {
        browser.press("Partition " + leader);

        ShownCell cut = awaitPage(cell -> cell.leaders().size() == 1
                && !cell.leaders().contains(leader)
                && cell.node(leader).state().equals("Partitioned")
                && cell.node(leader).peers().split("not reachable", -1).length == 3);
        assertThat(cut.node(leader).lease()).isEmpty();
        assertThat(cut.node(leader).buttons()).contains("Heal " + leader);
        String next = cut.leaders().get(0);
        awaitPage(cell -> happened(cell, next + " leads, ") && happened(cell, leader + " is cut off"));
        picture("partition");

        browser.press("Heal " + leader);
        assertThat(awaitAgreement()).isEqualTo(next);
    }

    @Test
    void aLeaderThatIsPausedDoesNotAnswerAndFollowsWhenResumed() {
        browser.press("Pause " + leader);

        ShownCell paused =
                awaitPage(cell -> cell.leaders().size() == 1 && !cell.leaders().contains(leader));
        assertThat(paused.node(leader).state()).isEqualTo("Paused");
        assertThat(paused.node(leader).detail()).contains("has not answered since");
        awaitPage(cell -> cell.summary().endsWith("2 of 3 instances answer."));

        browser.press("Stop " + leader);
        awaitPage(cell -> cell.message().equals(leader + " is paused: resume it first, or kill it."));
        browser.press("Resume " + leader);
        assertThat(awaitAgreement()).isNotEqualTo(leader);
    }

    @Test
    void anInstanceThatStopsHandsOverAndIsSilentAfterItsStart() {
        browser.press("Stop " + leader);
        ShownCell shown = awaitPage(cell ->
                cell.node(leader).state().equals("Down") && cell.leaders().size() == 1);
        assertThat(shown.leaders()).doesNotContain(leader);
        assertThat(shown.events()).anyMatch(event -> event.matches("n. leads, .* after the stop of " + leader + ".*"));

        browser.press("Start " + leader);
        awaitPage(cell -> cell.node(leader).state().equals("Starting"));
        awaitAgreement();
    }

    @Test
    void aKilledLeaderIsFollowedWhenItsLeaseIsOver() {
        browser.press("Kill " + leader);
        awaitPage(cell ->
                cell.node(leader).state().equals("Down") && cell.leaders().size() == 1);

        browser.press("Start " + leader);
        awaitAgreement();
    }

    @Test
    void everythingWorksWithTheKeyboardAlone() {
        String follower = other(leader);
        browser.open(url);
        awaitAgreement();
        tabTo("Partition " + follower);
        assertThat(browser.run("return getComputedStyle(document.activeElement).outlineStyle"))
                .isEqualTo("solid");

        browser.type(Keys.ENTER);
        awaitPage(cell -> cell.node(follower).state().equals("Partitioned"));
        assertThat(focused()).isEqualTo("Heal " + follower);

        browser.type(Keys.SPACE);
        awaitAgreement();
    }

    @Test
    void thePageIsAccessibleInLightAndDark() throws IOException {
        browser.open(url);
        awaitAgreement();
        picture("light");
        assertThat(browser.accessibilityProblems()).isEmpty();
        Object light = background();

        browser.prefer("prefers-color-scheme", "dark");
        assertThat(background()).isNotEqualTo(light);
        assertThat(browser.accessibilityProblems()).isEmpty();
        awaitPage(cell -> cell.agreed().isPresent());
        picture("dark");
    }

    @Test
    void nothingIsCutOffOnANarrowScreenOrWhenEnlarged() throws IOException {
        browser.resize(320, 640, 1);
        assertThat((Long) browser.run("return document.documentElement.scrollWidth"))
                .isLessThanOrEqualTo(320);
        assertThat(browser.accessibilityProblems()).isEmpty();
        picture("narrow");

        browser.resize(600, 500, 2); // 1200 x 1000 at 200 %
        assertThat((Long) browser.run("return document.documentElement.scrollWidth"))
                .isLessThanOrEqualTo(600);
    }

    private static Object background() {
        return browser.run("return getComputedStyle(document.body).backgroundColor");
    }

    private static void tabTo(String label) {
        for (int i = 0; i < MOST_TABS && !focused().equals(label); i++) {
            browser.type(Keys.TAB);
        }
        assertThat(focused()).isEqualTo(label);
    }

    private static String focused() {
        return (String) browser.run("return document.activeElement.textContent");
    }

    /** The answers of the instances come one by one: what is shown for a while is so. */
    private static ShownCell awaitStillShards() {
        AtomicReference<List<String>> owners = new AtomicReference<>(List.of());
        AtomicLong since = new AtomicLong();
        return awaitPage(cell -> {
            List<String> shown =
                    cell.shards().stream().map(ShownCell.Shard::owner).toList();
            if (!shown.equals(owners.getAndSet(shown))) {
                since.set(System.nanoTime());
            }
            return isShared(cell) && System.nanoTime() - since.get() > STILL.toNanos();
        });
    }

    private static boolean isShared(ShownCell cell) {
        return cell.evenShares(ALL).isPresent();
    }

    private static boolean happened(ShownCell cell, String beginning) {
        return cell.events().stream().anyMatch(event -> event.startsWith(beginning));
    }

    private static String other(String name) {
        return Stream.of(ALL).filter(each -> !each.equals(name)).findFirst().orElseThrow();
    }

    private static String awaitAgreement() {
        return awaitPage(cell -> cell.agreed().isPresent()).agreed().orElseThrow();
    }

    /** Waits until the page shows that. At no moment does it show two leaders. */
    private static ShownCell awaitPage(Predicate<ShownCell> condition) {
        return await().atMost(PATIENCE)
                .pollInterval(SNAPSHOTS)
                .until(
                        () -> {
                            ShownCell cell = ShownCell.in(browser);
                            assertThat(cell.leaders()).as(cell.toString()).hasSizeLessThan(2);
                            return cell;
                        },
                        condition);
    }

    /** For the documentation, if a directory is given: -Dscreenshots=/where/to. */
    private static void picture(String name) throws IOException {
        String directory = System.getProperty("screenshots", "");
        if (!directory.isEmpty()) {
            browser.run("document.activeElement.blur(); return true");
            Files.createDirectories(Path.of(directory));
            Files.write(Path.of(directory, "page-" + name + ".png"), browser.screenshot());
        }
    }
}
