package io.paxoslease.samples.kubernetes;

import com.google.gson.Gson;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1StatefulSet;
import io.kubernetes.client.openapi.models.V2HorizontalPodAutoscaler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads manifests as the API does: a field that it does not have, or that has another type, is an error. */
final class Manifests {

    static final Path DIRECTORY = Path.of("k8s");

    private Manifests() {}

    /** @throws IllegalArgumentException saying which field is wrong */
    static List<Object> parse(String text) throws IOException {
        List<Object> objects = new ArrayList<>();
        for (Object document : yaml().loadAll(text)) {
            objects.add(model(document));
        }
        return objects;
    }

    private static Object model(Object document) throws IOException {
        String json = new Gson().toJson(document);
        Object kind = ((Map<?, ?>) document).get("kind");
        return switch (String.valueOf(kind)) {
            case "Service" -> V1Service.fromJson(json);
            case "StatefulSet" -> V1StatefulSet.fromJson(json);
            case "PodDisruptionBudget" -> V1PodDisruptionBudget.fromJson(json);
            case "Deployment" -> V1Deployment.fromJson(json);
            case "HorizontalPodAutoscaler" -> V2HorizontalPodAutoscaler.fromJson(json);
            default -> throw new IllegalArgumentException("no model for the kind " + kind);
        };
    }

    /** What a patch says of a pod, on its own. */
    static V1PodSpec podOfPatch(String file) throws IOException {
        return V1PodSpec.fromJson(document(file, 0).at("/spec/template/spec").toString());
    }

    static String read(String file) throws IOException {
        return Files.readString(DIRECTORY.resolve(file));
    }

    /** One of the file's documents, counted from zero. */
    static JsonNode document(String file, int index) throws IOException {
        List<JsonNode> documents = new ArrayList<>();
        yaml().loadAll(read(file))
                .forEach(each -> documents.add(JsonMapper.shared().valueToTree(each)));
        return documents.get(index);
    }

    private static Yaml yaml() {
        return new Yaml(new SafeConstructor(new LoaderOptions()));
    }
}
