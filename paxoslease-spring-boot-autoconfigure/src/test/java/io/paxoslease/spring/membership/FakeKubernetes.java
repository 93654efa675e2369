package io.paxoslease.spring.membership;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The config maps of an API server: versions, conflicts, tokens and TLS as Kubernetes has them. */
final class FakeKubernetes implements AutoCloseable {

    static final String NAMESPACE = "shops";
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private final HttpsServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Path serviceAccount;
    private final Map<String, ObjectNode> configMaps = new HashMap<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private volatile String token = "";
    private volatile @Nullable String forbidden;
    private volatile Runnable beforeUpdate = () -> {};
    private long version = 100;

    private record Reply(int status, JsonNode body) {}

    /** @param serviceAccount where the files of the pod are written */
    FakeKubernetes(Path serviceAccount) throws Exception {
        this.serviceAccount = serviceAccount;
        server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        present(authority("127.0.0.1"));
        server.createContext("/", this::handle);
        server.setExecutor(threads);
        server.start();
        Files.writeString(serviceAccount.resolve("namespace"), NAMESPACE);
        renewToken("first");
    }

    private static X509Bundle authority(String name) throws Exception {
        X509Bundle ca = new CertificateBuilder()
                .subject("CN=kubernetes-ca")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
        return new CertificateBuilder()
                .subject("CN=kube-apiserver")
                .addSanIpAddress(name)
                .buildIssuedBy(ca);
    }

    private void present(X509Bundle bundle) throws Exception {
        KeyStore store = bundle.toKeyStore("changeit".toCharArray());
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, "changeit".toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        server.setHttpsConfigurator(new HttpsConfigurator(context));
        trust(bundle);
    }

    private void trust(X509Bundle bundle) throws IOException {
        Files.writeString(serviceAccount.resolve("ca.crt"), bundle.getRootCertificatePEM());
    }

    /** The pod gets the certificates of another cluster. */
    void trustSomebodyElse() throws Exception {
        trust(authority("127.0.0.1"));
    }

    /** Only that token is accepted from now on; the pod's file has it. */
    void renewToken(String next) throws IOException {
        expireToken(next);
        Files.writeString(serviceAccount.resolve("token"), next + "\n");
    }

    /** Only that token is accepted from now on, and the pod's file still has the old one. */
    void expireToken(String next) {
        token = next;
    }

    /** The service account may do everything but this verb; null: everything. */
    void forbid(@Nullable String verb) {
        forbidden = verb;
    }

    /** Runs before each update that has come is looked at. */
    void beforeUpdate(Runnable action) {
        beforeUpdate = action;
    }

    Map<String, String> environment() {
        return Map.of(
                "KUBERNETES_SERVICE_HOST",
                "127.0.0.1",
                "KUBERNETES_SERVICE_PORT",
                String.valueOf(server.getAddress().getPort()));
    }

    /** What came since the last call: verbs with statuses. */
    List<String> requests() {
        List<String> seen = List.copyOf(requests);
        requests.clear();
        return seen;
    }

    /** As {@code kubectl apply} does. */
    synchronized void put(String name, String json) {
        ObjectNode configMap = (ObjectNode) MAPPER.readTree(json);
        store(name, configMap);
    }

    synchronized void delete(String name) {
        configMaps.remove(name);
    }

    synchronized ObjectNode get(String name) {
        return Objects.requireNonNull(configMaps.get(name)).deepCopy();
    }

    private void store(String name, ObjectNode configMap) {
        configMap
                .withObject("/metadata")
                .put("name", name)
                .put("namespace", NAMESPACE)
                .put("resourceVersion", String.valueOf(++version));
        configMaps.put(name, configMap);
    }

    private void handle(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        Reply reply = reply(exchange, body);
        requests.add(exchange.getRequestMethod() + " " + reply.status());
        byte[] bytes = MAPPER.writeValueAsBytes(reply.body());
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(reply.status(), bytes.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(bytes);
        }
    }

    private Reply reply(HttpExchange exchange, String body) {
        if (!("Bearer " + token).equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
            return failure(401, "Unauthorized", "Unauthorized");
        }
        String verb =
                switch (exchange.getRequestMethod()) {
                    case "GET" -> "get";
                    case "POST" -> "create";
                    default -> "update";
                };
        if (verb.equals(forbidden)) {
            return failure(
                    403,
                    "Forbidden",
                    "configmaps is forbidden: User \"system:serviceaccount:shops:default\" cannot %s resource \"configmaps\""
                            .formatted(verb));
        }
        String path = exchange.getRequestURI().getPath();
        String collection = "/api/v1/namespaces/" + NAMESPACE + "/configmaps";
        if (verb.equals("create")) {
            return path.equals(collection)
                    ? create((ObjectNode) MAPPER.readTree(body))
                    : failure(404, "NotFound", "namespaces \"nowhere\" not found");
        }
        String name = path.substring(path.lastIndexOf('/') + 1);
        if (verb.equals("get")) {
            return read(path.equals(collection + "/" + name) ? name : "");
        }
        beforeUpdate.run();
        return update(name, (ObjectNode) MAPPER.readTree(body));
    }

    private synchronized Reply read(String name) {
        ObjectNode found = configMaps.get(name);
        return found == null
                ? failure(404, "NotFound", "configmaps \"%s\" not found".formatted(name))
                : new Reply(200, found.deepCopy());
    }

    private synchronized Reply create(ObjectNode created) {
        String name = created.path("metadata").path("name").asString("");
        if (configMaps.containsKey(name)) {
            return failure(409, "AlreadyExists", "configmaps \"%s\" already exists".formatted(name));
        }
        store(name, created);
        return new Reply(201, created.deepCopy());
    }

    private synchronized Reply update(String name, ObjectNode next) {
        ObjectNode found = configMaps.get(name);
        if (found == null) {
            return failure(404, "NotFound", "configmaps \"%s\" not found".formatted(name));
        }
        String expected = next.path("metadata").path("resourceVersion").asString("");
        String actual = found.path("metadata").path("resourceVersion").asString("");
        if (!expected.isEmpty() && !expected.equals(actual)) {
            return failure(
                    409,
                    "Conflict",
                    "Operation cannot be fulfilled on configmaps \"%s\": the object has been modified".formatted(name));
        }
        if (found.path("immutable").asBoolean(false)) {
            return failure(422, "Invalid", "data: Forbidden: field is immutable when `immutable` is set");
        }
        store(name, next);
        return new Reply(200, next.deepCopy());
    }

    private static Reply failure(int status, String reason, String message) {
        ObjectNode body = MAPPER.createObjectNode();
        body.put("kind", "Status")
                .put("status", "Failure")
                .put("reason", reason)
                .put("message", message)
                .put("code", status);
        return new Reply(status, body);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
