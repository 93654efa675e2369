package io.paxoslease.samples.cluster;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.MissingNode;

/** Asks an instance's {@code /actuator/leases} what its node is, as an operator's script would. Thread-safe. */
final class InstanceProbe {

    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(PATIENCE).build();

    /** Whether it votes, with the configuration of that generation. */
    boolean votes(Node node, int generation) throws InterruptedException {
        JsonNode answer = ask(node);
        return answer.path("state").asString("").equals("SERVING")
                && answer.at("/membership/configured").asInt(1) == generation;
    }

    /** Whether it knows that the generation is sealed. */
    boolean knowsSealed(Node node, int generation) throws InterruptedException {
        return ask(node).at("/membership/sealed").asInt(0) >= generation;
    }

    private JsonNode ask(Node node) throws InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(node.url())).timeout(PATIENCE).build();
        try {
            return JsonMapper.shared()
                    .readTree(http.send(request, BodyHandlers.ofString()).body())
                    .path("node");
        } catch (IOException | JacksonException noAnswer) {
            return MissingNode.getInstance();
        }
    }
}
