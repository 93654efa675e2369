package io.paxoslease.clusters;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.images.builder.Transferable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** One instance in its container. */
final class Member extends Machine {

    static final int PEER_PORT = 7400;
    static final int HTTP_PORT = 8080;

    private static final int OK = 200;
    private static final int OUT_OF_SERVICE = 503;
    private static final Duration ANSWER = Duration.ofSeconds(2);
    private static final HttpClient http =
            HttpClient.newBuilder().connectTimeout(ANSWER).build();

    private final InstanceContainer instance;

    /** @param alias a name that leads to other members, too; empty: there is none */
    Member(String name, InstanceContainer container, String network, String alias) {
        super(name, container, network, alias);
        this.instance = container;
    }

    /** What it is started with from now on. */
    void configure(Setup setup) {
        instance.configure(name(), setup);
    }

    /** Where the cell {@linkplain Setup#withClocksThatCanBeSet has such clocks}: by how much its wall clock is ahead of the others' from now on. */
    void setClockAhead(Duration ahead) {
        startable().copyFileToContainer(Transferable.of(ahead.toMillis() + "\n"), Setup.CLOCK);
    }

    /** What it says about itself and its leases; missing when it does not answer. */
    JsonNode leases() {
        return get("leases", OK);
    }

    /** What it says about whether leases can be had; missing when it does not answer. */
    JsonNode health() {
        return get("health/leases", OK, OUT_OF_SERVICE);
    }

    private JsonNode get(String endpoint, Integer... statuses) {
        try {
            Integer port = portHere(HTTP_PORT);
            if (port == null) {
                return missing();
            }
            HttpRequest request = HttpRequest.newBuilder(
                            URI.create("http://%s:%d/actuator/%s".formatted(host(), port, endpoint)))
                    .timeout(ANSWER)
                    .build();
            HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
            return List.of(statuses).contains(response.statusCode())
                    ? JsonMapper.shared().readTree(response.body())
                    : missing();
        } catch (IOException notNow) {
            return missing();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return missing();
        }
    }

    /** {@code QUARANTINED}, {@code SERVING} or another state of the node; empty when it does not answer. */
    String state() {
        return leases().path("node").path("state").asString("");
    }

    /** The generation that decides alone, as far as it knows; zero: none does, or it does not answer. */
    int sealedGeneration() {
        JsonNode membership = leases().path("node").path("membership");
        return membership.path("mode").asString("").equals("SEALED")
                ? membership.path("generation").asInt()
                : 0;
    }

    /** What it knows of the leader's lease. */
    JsonNode leadership() {
        for (JsonNode lease : leases().path("leases")) {
            if (lease.path("resource").asString("").equals("role:billing")) {
                return lease;
            }
        }
        return missing();
    }

    /** The names in the certificate that it shows to who connects as another node does. */
    List<String> namesInCertificate(Certificates certificates) {
        return certificates.namesShownBy(host(), Objects.requireNonNull(portHere(PEER_PORT)));
    }

    private static String host() {
        return DockerClientFactory.instance().dockerHostIpAddress();
    }

    private static JsonNode missing() {
        return JsonMapper.shared().missingNode();
    }
}
