package io.paxoslease.samples.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The page and its endpoint, over HTTP, with instances that are shells. */
@DisabledOnOs(OS.WINDOWS)
class PageServerTest {

    private static final List<String> SHELL = List.of("sh", "-c", "echo '@cluster ready'; exec cat");

    private final HttpClient http = HttpClient.newHttpClient();
    private final Path directory;
    private final Journal journal = new Journal();
    private ClusterOptions options;
    private Network network;
    private Cluster cluster;
    private PageServer page;

    PageServerTest(@TempDir Path directory) {
        this.directory = directory;
    }

    @BeforeEach
    void aPageOfThreeInstances() throws IOException {
        open(Algorithm.PAXOSLEASE);
    }

    private void open(Algorithm algorithm) throws IOException {
        int http = RunningLauncher.freePorts(25_000);
        options = new ClusterOptions(RunningLauncher.freePorts(20_000), http, http + 3, true, algorithm, 0);
        List<Node> members = Node.all(options);
        network = new Network(members, algorithm);
        Screen screen = new Screen(new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8), false);
        cluster = new Cluster(members, network, (node, configured) -> SHELL, directory, new Narrator(screen, journal));
        page = PageServer.start(options, new CellControl(cluster, journal));
    }

    @AfterEach
    void closeEverything() throws Exception {
        page.close();
        cluster.shutDown();
        network.close();
    }

    @Test
    void thePageMayReadTheInstancesAndNothingElse() throws Exception {
        for (String file : List.of("/", "/page.css", "/page.js", "/cell.js", "/view.js", "/shards.js", "/icon.svg")) {
            HttpResponse<String> response = get(file);
            assertThat(response.statusCode()).as(file).isEqualTo(200);
            assertThat(response.headers().firstValue("Content-Security-Policy"))
                    .hasValue("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
                            + " connect-src 'self' http://127.0.0.1:%d http://127.0.0.1:%d http://127.0.0.1:%d http://127.0.0.1:%d http://127.0.0.1:%d;"
                                    .formatted(
                                            options.httpPort(),
                                            options.httpPort() + 1,
                                            options.httpPort() + 2,
                                            options.furtherHttpPort(),
                                            options.furtherHttpPort() + 1)
                            + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
            assertThat(response.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
        }
        assertThat(get("/").headers().firstValue("Content-Type")).hasValue("text/html; charset=utf-8");
        assertThat(get("/application.yml").statusCode()).isEqualTo(404);
        assertThat(get("/cellar").statusCode()).isEqualTo(404);
    }

    @Test
    void theCellShowsProcessesNetworkAndEvents() throws Exception {
        assertThat(post("/cell/n2/start").statusCode()).isEqualTo(200);
        assertThat(post("/cell/n2/partition").statusCode()).isEqualTo(200);
        awaitProcess("n2", "UP");

        JsonNode n2 = cell("").path("nodes").get(1);
        assertThat(n2.path("name").asString()).isEqualTo("n2");
        assertThat(n2.path("actuator").asString())
                .isEqualTo("http://127.0.0.1:%d/actuator/leases", options.httpPort() + 1);
        assertThat(n2.path("partitioned").asBoolean()).isTrue();
        assertThat(process("n1")).isEqualTo("DOWN");
        assertThat(cell("").path("run")).isEqualTo(cell("").path("run"));

        journal.add(1_000, Journal.Kind.GRANTED, "n9", "leads");
        long last = journal.after(0).size();
        JsonNode events = cell("?after=" + (last - 1)).path("events");
        assertThat(events.size()).isEqualTo(1);
        assertThat(events.get(0))
                .isEqualTo(JsonMapper.shared()
                        .readTree("{\"id\":%d,\"at\":1000,\"kind\":\"GRANTED\",\"node\":\"n9\",\"text\":\"leads\"}"
                                .formatted(last)));
        assertThat(get("/cell?after=now").statusCode()).isEqualTo(400);
    }

    @Test
    void anInstanceIsPausedResumedStoppedAndStartedAgain() throws Exception {
        post("/cell/n1/start");
        awaitProcess("n1", "UP");

        assertThat(post("/cell/n1/pause").body()).contains("\"node\":\"n1\"", "\"action\":\"pause\"");
        assertThat(process("n1")).isEqualTo("PAUSED");
        assertRefused("/cell/n1/stop", "n1: it is paused and cannot stop: resume it first, or kill it");
        assertThat(post("/cell/n1/resume").statusCode()).isEqualTo(200);
        assertThat(post("/cell/n1/stop").statusCode()).isEqualTo(200);
        awaitProcess("n1", "DOWN");
        assertThat(post("/cell/n1/start").statusCode()).isEqualTo(200);
        awaitProcess("n1", "UP");
        post("/cell/n1/pause");
        assertThat(post("/cell/n1/kill").statusCode()).isEqualTo(200);
        awaitProcess("n1", "DOWN");
    }

    @Test
    void whatTheStateForbidsIsRefusedWithTheReason() throws Exception {
        assertRefused("/cell/n1/stop", "n1: it is down already");
        assertRefused("/cell/n1/kill", "n1: it is down already");
        assertRefused("/cell/n1/pause", "n1: only an instance that is up can be paused");
        assertRefused("/cell/n1/resume", "n1: it is not paused");
        assertRefused("/cell/n1/heal", "n1 is not cut off");
        post("/cell/n1/partition");
        assertRefused("/cell/n1/partition", "n1 is cut off already");
        post("/cell/n1/start");
        assertRefused("/cell/n1/start", "n1 is not down");
    }

    /** Shells do not vote, so the change waits for the new member until that one is ended. */
    @Test
    void aChangeOfTheMembersGoesOnStepByStepAndWithoutAnInstanceThatIsDown() throws Exception {
        for (String name : List.of("n1", "n2", "n3")) {
            post("/cell/" + name + "/start");
            awaitProcess(name, "UP");
        }
        assertThat(cell("").at("/members").toString())
                .isEqualTo("{\"generation\":1,\"now\":[\"n1\",\"n2\",\"n3\"],"
                        + "\"possible\":[\"n1\",\"n2\",\"n3\",\"n4\",\"n5\"]}");

        assertThat(post("/cell/members/n1,n2,n4").statusCode()).isEqualTo(200);
        awaitProcess("n4", "UP");
        await().until(() -> cell("").at("/members/step").asString("").equals("waits until n4 votes"));
        assertThat(cell("").at("/members/generation").asInt()).isEqualTo(2);
        assertRefused("/cell/members/n1,n2,n5", "a change is under way: it waits until n4 votes");
        post("/cell/n4/kill");
        await().until(() -> cell("").at("/members/step").asString("").equals("waits until n3 votes"));
        assertThat(journal.after(0))
                .extracting(Journal.Event::text)
                .contains("is down: the change goes on without it", "the change restarts n3 with the new list");
    }

    @Test
    void membersThatCannotBeAreRefusedWithTheReason() throws Exception {
        assertThat(post("/cell/members/n1,n2,n9").statusCode()).isEqualTo(400);
        assertThat(post("/cell/members/n1,n2,n9").body()).contains("name the new members, of n1, n2, n3, n4, n5");
        assertThat(post("/cell/members/n3,n2,n1").body()).contains("the members are n1, n2, n3 already");
        assertThat(post("/cell/members/n1,n4,n5").body()).contains("keep a majority of n1, n2, n3");
        closeEverything();
        open(Algorithm.FLEASE);
        assertRefused(
                "/cell/members/n1,n2,n4", "With --algorithm=flease the members cannot change while the cell serves.");
    }

    @Test
    void instancesThatMeetInAStoreCannotBeCutOff() throws Exception {
        assertThat(cell("").has("cannotPartition")).isFalse();
        closeEverything();
        open(Algorithm.STORAGE);
        String why = "The instances agree through a store and have no connections to each other that could be cut.";
        assertThat(cell("").path("cannotPartition").asString()).isEqualTo(why);
        assertRefused("/cell/n1/partition", why);
        assertThat(cell("").path("nodes").get(0).path("partitioned").asBoolean())
                .isFalse();
    }

    @Test
    void whatDoesNotExistIsNotFoundWithAHint() throws Exception {
        assertThat(post("/cell/n9/stop").statusCode()).isEqualTo(404);
        assertThat(post("/cell/n9/stop").body()).contains("There is no instance 'n9', only n1, n2, n3");
        assertThat(post("/cell/n1/explode").statusCode()).isEqualTo(404);
        assertThat(post("/cell/n1/explode").body()).contains("pause, resume, partition, heal, stop, kill or start");
        assertThat(post("/cell/n1/stop/now").statusCode()).isEqualTo(404);
        assertThat(get("/cell/n1/stop").statusCode()).isEqualTo(405);
        assertThat(post("/cell").statusCode()).isEqualTo(405);
    }

    @Test
    void noOtherPageOfTheBrowserGetsIn() throws Exception {
        HttpRequest.Builder partition = request("/cell/n1/partition").POST(BodyPublishers.noBody());
        assertThat(send(partition).statusCode()).isEqualTo(403);
        assertThat(send(partition.header(PageGuard.CONTROL_HEADER, "x").header("Origin", "http://evil.example"))
                        .statusCode())
                .isEqualTo(403);
        HttpResponse<String> preflight = send(request("/cell/n1/partition")
                .method("OPTIONS", BodyPublishers.noBody())
                .header("Origin", "http://evil.example")
                .header("Access-Control-Request-Method", "POST"));
        assertThat(preflight.statusCode()).isEqualTo(403);
        assertThat(preflight.headers().map().keySet())
                .noneMatch(name -> name.toLowerCase(Locale.ROOT).startsWith("access-control"));
        assertThat(send(request("/cell").header("Origin", "null")).statusCode()).isEqualTo(403);

        assertThat(network.isPartitioned("n1")).isFalse();
        assertThat(send(request("/cell/n1/partition")
                                .POST(BodyPublishers.noBody())
                                .header(PageGuard.CONTROL_HEADER, "x")
                                .header("Origin", options.pageOrigin()))
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void aNameThatWasMadeToLeadHereGetsNothing() throws Exception {
        for (String path : List.of("/", "/cell", "/page.js")) {
            assertThat(statusLine(path, "evil.example:" + options.pagePort())).contains(" 403 ");
        }
        assertThat(statusLine("/cell", "localhost:" + options.pagePort())).contains(" 403 ");
        assertThat(statusLine("/", "localhost:" + options.pagePort())).contains(" 307 ");
        assertThat(statusLine("/cell", "127.0.0.1:" + options.pagePort())).contains(" 200 ");
    }

    @Test
    void aPortInUseIsNamedTogetherWithTheWayOut() {
        assertThatExceptionOfType(BindException.class)
                .isThrownBy(() -> PageServer.start(options, new CellControl(cluster, journal)))
                .withMessageContainingAll("Port " + options.pagePort(), "--page-port=" + (options.pagePort() + 100));
    }

    private void assertRefused(String path, String message) throws Exception {
        HttpResponse<String> response = post(path);
        assertThat(response.statusCode()).isEqualTo(409);
        assertThat(JsonMapper.shared().readTree(response.body()).path("error").asString())
                .isEqualTo(message);
    }

    private void awaitProcess(String name, String state) {
        await().until(() -> process(name).equals(state));
    }

    private String process(String name) throws Exception {
        for (JsonNode node : cell("").path("nodes")) {
            if (node.path("name").asString().equals(name)) {
                return node.path("process").asString();
            }
        }
        throw new AssertionError(name);
    }

    private JsonNode cell(String query) throws Exception {
        return JsonMapper.shared().readTree(get("/cell" + query).body());
    }

    private HttpResponse<String> get(String path) throws Exception {
        return send(request(path));
    }

    private HttpResponse<String> post(String path) throws Exception {
        return send(request(path).header(PageGuard.CONTROL_HEADER, "test").POST(BodyPublishers.noBody()));
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(options.pageOrigin() + path));
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return http.send(request.build(), BodyHandlers.ofString());
    }

    /** With any Host, which Java's client does not let one choose. */
    private String statusLine(String path, String host) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), options.pagePort())) {
            socket.getOutputStream()
                    .write("GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n"
                            .formatted(path, host)
                            .getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .findFirst()
                    .orElse("no answer");
        }
    }
}
