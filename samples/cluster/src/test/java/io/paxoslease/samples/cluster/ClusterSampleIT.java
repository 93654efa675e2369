package io.paxoslease.samples.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Runs the sample as a user does, from its jar, and reads its console. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ClusterSampleIT {

    private static final List<String> NAMES = List.of("n1", "n2", "n3");
    private static final double LEASE_SECONDS = 2;
    private static final double MARGIN_SECONDS = 2;
    private static final String COUNTER = "counter \\d+ = (\\d+) \\(n1\\) \\+ (\\d+) \\(n2\\) \\+ (\\d+) \\(n3\\)";
    private static final String TICK = "s  (n.)  tick";
    private static final String COUNTED = "counter \\d+ = ";
    private static final int TRIES = 60;

    private final int basePort = RunningLauncher.freePorts(20_000);
    private final int httpPort = RunningLauncher.freePorts(25_000);
    private final HttpClient http = HttpClient.newHttpClient();
    private final RunningLauncher launcher = new RunningLauncher("--base-port=" + basePort, "--http-port=" + httpPort);

    @AfterEach
    void nothingIsLeft() {
        launcher.endEverything();
    }

    @Test
    void oneInstanceLeadsThroughStopsAndKillsAndNoCountIsLost() throws Exception {
        launcher.start();
        awaitUp(0, NAMES);
        String first = launcher.await(0, "(n.)  LEADS").group(1);
        launcher.await(0, first + "  tick");
        awaitCounts(0, 0);
        awaitAgreementOn(first);

        int stop = launcher.type("stop");
        String second = launcher.await(stop, "(n.)  LEADS, .* after the stop of " + first)
                .group(1);
        launcher.await(stop, first + "  down$");
        int restart = launcher.type("start");
        awaitUp(restart, List.of(first));
        awaitAgreementOn(second);

        int kill = launcher.type("kill");
        Matcher takeOver = launcher.await(kill, "(n.)  LEADS, ([\\d.]+) (m?s) after the kill of " + second);
        String third = takeOver.group(1);
        assertThat(seconds(takeOver)).isLessThan(LEASE_SECONDS + MARGIN_SECONDS);
        int again = launcher.type("start");
        awaitUp(again, List.of(second));
        awaitCounts(again, 1);
        awaitAgreementOn(third);

        Path log = Path.of(launcher.await(0, "logs: (\\S+), ").group(1));
        Path extracted = log.resolveSibling("application").resolve("application.jar");
        assertThat(log).content().contains("Starting AOT-processed ClusterLauncher", extracted + " started by");
        assertThat(List.of(first, second)).doesNotHaveDuplicates();
        assertThat(third).isNotEqualTo(second);
        assertThatOnlyLeadersTicked();
        assertThat(launcher.lines()).noneMatch(line -> line.contains("ALARM") || line.contains("LOST UPDATE"));
        assertThat(launcher.lines().stream().filter(line -> line.contains("lost updates")))
                .isNotEmpty()
                .allMatch(line -> line.endsWith("lost updates 0"));

        launcher.type("quit");
        assertThat(launcher.awaitExit()).isZero();
        assertThat(launcher.children()).noneMatch(ProcessHandle::isAlive);
        assertThat(log).exists();
        assertThat(extracted.getParent()).doesNotExist();
    }

    @Test
    @Tag("deep")
    void instancesThatAreNotProcessedAheadOfTimeDoTheSame() throws Exception {
        launcher.withSystemProperty("spring.aot.enabled", "false").start();
        awaitUp(0, NAMES);
        String first = launcher.await(0, "(n.)  LEADS").group(1);
        launcher.await(0, first + "  tick");
        awaitAgreementOn(first);
        Path log = Path.of(launcher.await(0, "logs: (\\S+), ").group(1));
        assertThat(log).content().contains("Starting ClusterLauncher");

        int stop = launcher.type("stop");
        launcher.await(stop, "(n.)  LEADS, .* after the stop of " + first);
        launcher.await(stop, first + "  down$");
        assertThatOnlyLeadersTicked();
        assertThat(launcher.lines()).noneMatch(line -> line.contains("ALARM") || line.contains("LOST UPDATE"));
    }

    /** An instance that was stopped comes back behind the others, so the lead gets to each, clients included. */
    @Test
    @Tag("deep")
    void clientsLeadAsMembersDo() throws Exception {
        launcher.start("--clients=2");
        awaitUp(0, List.of("n1", "n2", "n3", "c1", "c2"));
        String leader = launcher.await(0, "(\\w\\d)  LEADS").group(1);
        for (int turns = 0; leader.startsWith("n"); turns++) {
            assertThat(turns).as("turns without a client").isLessThan(6);
            awaitVotes();
            String stopped = leader;
            int stop = launcher.type("stop");
            leader = launcher.await(stop, "(\\w\\d)  LEADS, .* after the stop of " + stopped)
                    .group(1);
            launcher.await(stop, stopped + "  down$");
            launcher.await(launcher.type("start"), stopped + "  up$");
        }
        awaitVotes();
        launcher.await(0, leader + "  tick");
        int kill = launcher.type("kill");
        Matcher takeOver = launcher.await(kill, "(\\w\\d)  LEADS, ([\\d.]+) (m?s) after the kill of " + leader);
        assertThat(seconds(takeOver)).isLessThan(LEASE_SECONDS + MARGIN_SECONDS);
        assertThat(launcher.lines()).noneMatch(line -> line.contains("ALARM") || line.contains("LOST UPDATE"));
        assertThat(launcher.await(kill, "counter .*lost updates (\\d+)").group(1))
                .isEqualTo("0");
    }

    /** From n1, n2, n3 over n1, n2, n4, n5 to n1, n2, n4, while one after the other leads and all of them count. */
    @Test
    @Tag("deep")
    void theMembersChangeTwiceWhileTheCellServes() throws Exception {
        launcher.start("--clients=1");
        awaitUp(0, List.of("n1", "n2", "n3", "c1"));
        launcher.await(0, "LEADS");

        int first = launcher.type("members n1 n2 n4 n5");
        launcher.await(first, "the change to n1, n2, n4, n5 is over");
        assertThat(lines(first))
                .containsSubsequence(
                        "generation 2: the members change from n1, n2, n3 to n1, n2, n4, n5",
                        "votes", // n4, n5
                        "votes",
                        "the change restarts c1 with the new list",
                        "the change restarts n3 with the new list",
                        "votes",
                        "the change restarts n2 with the new list",
                        "votes",
                        "the change restarts n1 with the new list",
                        "votes",
                        "generation 2 is sealed: n1, n2, n4, n5 decide alone",
                        "the change stops n3, which has left",
                        "down");

        int second = launcher.type("members n1 n2 n4");
        launcher.await(second, "generation 3 is sealed: n1, n2, n4 decide alone");
        launcher.await(second, "n5  down$");
        launcher.await(second, "the change to n1, n2, n4 is over");
        int after = launcher.type("members");
        launcher.await(after, "generation 3: n1, n2, n4$");
        launcher.await(launcher.type("kill"), "LEADS, .* after the kill of");

        assertThat(launcher.lines()).noneMatch(line -> line.contains("ALARM") || line.contains("LOST UPDATE"));
        assertThat(launcher.lines()).noneMatch(line -> line.contains("without a majority"));
    }

    /** What was said, without the time and the instance. */
    private List<String> lines(int mark) {
        return launcher.lines().stream()
                .skip(mark)
                .map(line -> line.replaceFirst("^ *[\\d.]+ s  (?:\\w\\d|  )  ", ""))
                .toList();
    }

    @Test
    void withoutTheLockCountsAreLostAndNoticed() throws Exception {
        launcher.start("--without-lock");

        launcher.await(0, "LOST UPDATE: n\\d wrote \\d+ and found \\d+");

        launcher.hangUp();
        assertThat(launcher.awaitExit()).isZero();
        assertThat(launcher.children()).noneMatch(ProcessHandle::isAlive);
    }

    @Test
    void noInstanceOutlivesATerminatedLauncher() throws Exception {
        launcher.start();
        awaitUp(0, NAMES);
        List<ProcessHandle> children = launcher.children();

        launcher.terminate();

        launcher.awaitExit();
        assertThat(children).hasSize(NAMES.size()).noneMatch(ProcessHandle::isAlive);
    }

    @Test
    void noInstanceOutlivesAKilledLauncher() throws Exception {
        launcher.start();
        launcher.await(0, "n3  starting");
        List<ProcessHandle> children = launcher.children();

        launcher.kill();

        assertThat(children).hasSize(NAMES.size());
        for (ProcessHandle child : children) {
            child.onExit().get(RunningLauncher.patience().toSeconds(), TimeUnit.SECONDS);
        }
    }

    @Test
    void aPortInUseIsNamedTogetherWithTheWayOut() throws Exception {
        try (ServerSocket other = new ServerSocket(httpPort + 1, 1, InetAddress.getLoopbackAddress())) {
            launcher.start();

            assertThat(launcher.awaitExit()).isEqualTo(1);
            launcher.await(0, "Port " + other.getLocalPort() + ", .* n2 .* is in use");
            launcher.await(0, "--http-port=");
        }
    }

    private void awaitUp(int mark, List<String> names) throws InterruptedException {
        for (String name : names) {
            launcher.await(mark, name + "  up$");
        }
    }

    /** Waits until each instance has counted more than that since the mark. */
    private void awaitCounts(int mark, long atLeast) throws InterruptedException {
        Matcher from = launcher.await(mark, COUNTER);
        int next = mark;
        Matcher to = from;
        while (Math.min(grown(from, to, 1), Math.min(grown(from, to, 2), grown(from, to, 3))) < atLeast) {
            next = launcher.mark();
            to = launcher.await(next, COUNTER);
        }
    }

    private static long grown(Matcher from, Matcher to, int group) {
        return Long.parseLong(to.group(group)) - Long.parseLong(from.group(group));
    }

    /** Hints follow the facts, so the instances are asked again at each tick until they agree. */
    private void awaitAgreementOn(String leader) throws Exception {
        List<String> expected = List.of(leader, leader, leader);
        List<String> answers = List.of();
        for (int i = 0; i < TRIES && !answers.equals(expected); i++) {
            launcher.await(launcher.mark(), TICK);
            answers = List.of(leaderAt(0), leaderAt(1), leaderAt(2));
        }
        assertThat(answers).isEqualTo(expected);
    }

    /** Until no member is quarantined: stopping one more leaves a majority then. */
    private void awaitVotes() throws Exception {
        for (int i = 0; i < TRIES && !(votes(0) && votes(1) && votes(2)); i++) {
            launcher.await(launcher.mark(), COUNTED);
        }
        assertThat(votes(0) && votes(1) && votes(2)).isTrue();
    }

    private boolean votes(int index) throws IOException, InterruptedException {
        return ask(index).at("/node/state").asString().equals("SERVING");
    }

    private String leaderAt(int index) throws IOException, InterruptedException {
        for (JsonNode lease : ask(index).path("leases")) {
            if (lease.path("resource").asString().equals("role:billing")) {
                return lease.path("owner").path("nodeId").asString("nobody");
            }
        }
        return "unknown";
    }

    private JsonNode ask(int index) throws IOException, InterruptedException {
        URI uri = URI.create("http://127.0.0.1:" + (httpPort + index) + "/actuator/leases");
        HttpResponse<String> response =
                http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(200);
        return JsonMapper.shared().readTree(response.body());
    }

    private void assertThatOnlyLeadersTicked() {
        Pattern leads = Pattern.compile("(n.)  LEADS");
        Pattern ticks = Pattern.compile(TICK);
        String leader = "nobody";
        for (String line : launcher.lines()) {
            Matcher led = leads.matcher(line);
            Matcher ticked = ticks.matcher(line);
            if (led.find()) {
                leader = led.group(1);
            } else if (ticked.find()) {
                assertThat(ticked.group(1)).as(launcher.toString()).isEqualTo(leader);
            }
        }
    }

    private static double seconds(Matcher takeOver) {
        double amount = Double.parseDouble(takeOver.group(2));
        return takeOver.group(3).equals("ms") ? amount / 1000 : amount;
    }
}
