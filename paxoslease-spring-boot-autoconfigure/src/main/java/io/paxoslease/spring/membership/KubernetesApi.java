package io.paxoslease.spring.membership;

import io.paxoslease.protocol.Printable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.MissingNode;

/** The API server of the cluster, asked by the service account of this process's pod. Thread-safe. */
final class KubernetesApi {

    static final Path SERVICE_ACCOUNT = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");

    private static final Duration CONNECT = Duration.ofSeconds(3);
    private static final Duration ANSWER = Duration.ofSeconds(8);
    private static final int UNAUTHORIZED = 401;
    private static final int LONGEST_MESSAGE = 500;

    private final Map<String, String> environment;
    private final Path serviceAccount;
    private final JsonMapper mapper = JsonMapper.builder().build();
    private byte[] trusted = {};
    private @Nullable HttpClient http;

    /**
     * What the server answers.
     *
     * @param json the body; missing if it is no JSON
     */
    record Answer(int status, JsonNode json) {

        String message() {
            String message = json.path("message").asString("");
            return message.isEmpty()
                    ? "without a message"
                    : message.substring(0, Math.min(message.length(), LONGEST_MESSAGE))
                            .replaceAll("\\p{Cntrl}+", " ");
        }
    }

    KubernetesApi(Map<String, String> environment, Path serviceAccount) {
        this.environment = environment;
        this.serviceAccount = serviceAccount;
    }

    String namespace() throws IOException {
        return new String(file("namespace"), StandardCharsets.UTF_8).strip();
    }

    /**
     * Sends a request with the token of now.
     *
     * @throws IOException if there is no answer, or the token is not accepted
     */
    Answer send(String method, String path, @Nullable JsonNode body) throws IOException {
        URI uri = server().resolve(path);
        String token = new String(file("token"), StandardCharsets.UTF_8).strip();
        HttpRequest.Builder request = HttpRequest.newBuilder(uri)
                .timeout(ANSWER)
                .header("Authorization", "Bearer " + token)
                .header("Accept", "application/json")
                .header("User-Agent", "paxoslease");
        request.method(
                method,
                body == null
                        ? HttpRequest.BodyPublishers.noBody()
                        : HttpRequest.BodyPublishers.ofString(mapper.writeValueAsString(body)));
        if (body != null) {
            request.header("Content-Type", "application/json");
        }
        HttpResponse<String> response = send(request.build());
        Answer answer = new Answer(response.statusCode(), json(response.body()));
        if (answer.status() == UNAUTHORIZED) {
            throw new IOException(
                    "Kubernetes does not accept the token in %s: %s; it may have expired, so look whether the kubelet renews it, and whether the service account still exists"
                            .formatted(serviceAccount.resolve("token"), Printable.text(answer.message())));
        }
        return answer;
    }

    private HttpResponse<String> send(HttpRequest request) throws IOException {
        try {
            return http().send(request, HttpResponse.BodyHandlers.ofString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("Interrupted before Kubernetes answered");
        } catch (IOException e) {
            throw new IOException(
                    "Kubernetes does not answer at %s: %s"
                            .formatted(request.uri(), Printable.text(e.getMessage() == null ? e : e.getMessage())),
                    e);
        }
    }

    private JsonNode json(String body) {
        try {
            JsonNode json = mapper.readTree(body);
            return json == null ? MissingNode.getInstance() : json;
        } catch (JacksonException e) {
            return MissingNode.getInstance();
        }
    }

    private URI server() throws IOException {
        String host = environment.get("KUBERNETES_SERVICE_HOST");
        String port = environment.getOrDefault("KUBERNETES_SERVICE_PORT", "443");
        if (host == null || host.isBlank()) {
            throw new IOException(
                    "This process runs in no pod: KUBERNETES_SERVICE_HOST is not set; keep the members in a file or a table instead");
        }
        try {
            return URI.create("https://%s:%s".formatted(host.indexOf(':') < 0 ? host : "[" + host + "]", port));
        } catch (IllegalArgumentException e) {
            throw new IOException(
                    "KUBERNETES_SERVICE_HOST '%s' and KUBERNETES_SERVICE_PORT '%s' are no address"
                            .formatted(Printable.name(host), Printable.name(port)),
                    e);
        }
    }

    private byte[] file(String name) throws IOException {
        Path file = serviceAccount.resolve(name);
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new IOException(
                    "Cannot read %s: let the pod have a service account and mount its token (automountServiceAccountToken) (%s)"
                            .formatted(file, e),
                    e);
        }
    }

    /** A client holds connections, so there is a new one only for new certificates. */
    private synchronized HttpClient http() throws IOException {
        byte[] certificates = file("ca.crt");
        HttpClient current = http;
        if (current == null || !Arrays.equals(trusted, certificates)) {
            current = HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .followRedirects(HttpClient.Redirect.NEVER)
                    .proxy(HttpClient.Builder.NO_PROXY)
                    .connectTimeout(CONNECT)
                    .sslContext(trusting(certificates))
                    .build();
            http = current;
            trusted = certificates;
        }
        return current;
    }

    private SSLContext trusting(byte[] certificates) throws IOException {
        try {
            PemSslStoreDetails store =
                    PemSslStoreDetails.forCertificates(new String(certificates, StandardCharsets.UTF_8));
            return SslBundle.of(new PemSslStoreBundle(null, store)).createSslContext();
        } catch (RuntimeException e) {
            throw new IOException(
                    "Cannot use the certificates in %s: %s"
                            .formatted(serviceAccount.resolve("ca.crt"), Printable.text(e.getMessage())),
                    e);
        }
    }
}
