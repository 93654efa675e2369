package io.paxoslease.spring.membership;

import io.paxoslease.Membership;
import io.paxoslease.MembershipStore;
import io.paxoslease.MembershipText;
import io.paxoslease.protocol.Printable;
import java.io.IOException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Keeps the members of a cell in a config map of the Kubernetes cluster, as text under the key {@value #KEY}. The config map is created
 * by the first node if it does not exist; what else is in it stays. A change names the version that it replaces, so that of
 * two changes at a time Kubernetes takes one.
 *
 * <p>The service account needs a role that allows {@code get} and {@code update} of this config map, and {@code create} of config maps unless it
 * exists. Its token and the certificates of the cluster are read again at each access, as they change while the pod runs.
 *
 * <p>Thread-safe. An access takes a few seconds at most.
 */
public final class ConfigMapMembershipStore implements MembershipStore {

    /** The key in the config map. */
    public static final String KEY = "membership";

    private static final Pattern NAME = Pattern.compile("[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?");
    private static final Pattern NAMESPACE = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");
    private static final int OK = 200;
    private static final int CREATED = 201;
    private static final int FORBIDDEN = 403;
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;

    private final KubernetesApi api;
    private final String name;
    private final @Nullable String givenNamespace;
    private final String cell;

    ConfigMapMembershipStore(KubernetesApi api, String name, @Nullable String namespace, String cell) {
        this.api = api;
        this.name = checked(name, NAME, "a config map");
        this.givenNamespace = namespace == null ? null : checked(namespace, NAMESPACE, "a namespace");
        this.cell = cell;
    }

    private static String checked(String name, Pattern form, String what) {
        if (!form.matcher(name).matches()) {
            throw new IllegalArgumentException("'%s' is no name of %s: use small letters, digits and dashes"
                    .formatted(Printable.name(name), what));
        }
        return name;
    }

    /**
     * In the cluster that this process runs in, which is asked by its service account.
     *
     * @param name the name of the config map
     * @param namespace its namespace; null: that of the pod
     * @param cell the name of the cell
     * @throws IllegalArgumentException if one of the names cannot be one
     */
    public static ConfigMapMembershipStore inCluster(String name, @Nullable String namespace, String cell) {
        return new ConfigMapMembershipStore(
                new KubernetesApi(System.getenv(), KubernetesApi.SERVICE_ACCOUNT), name, namespace, cell);
    }

    @Override
    public @Nullable Membership read() throws IOException {
        ObjectNode configMap = configMap();
        return configMap == null ? null : membership(configMap);
    }

    private @Nullable ObjectNode configMap() throws IOException {
        KubernetesApi.Answer answer = api.send("GET", path() + "/" + name, null);
        if (answer.status() == NOT_FOUND) {
            return null;
        }
        if (answer.status() == OK && answer.json() instanceof ObjectNode found) {
            return found;
        }
        throw refused("read", "get", answer);
    }

    private @Nullable Membership membership(ObjectNode configMap) throws IOException {
        JsonNode text = configMap.path("data").path(KEY);
        if (text.isMissingNode()) {
            return null;
        }
        try {
            return MembershipText.parse(cell, text.asString(""));
        } catch (IOException e) {
            throw new IOException(
                    "Cannot understand the %s: %s. Correct the text under its key '%s', or restore it; the nodes that run show the members in their log and at their endpoint"
                            .formatted(describe(), Printable.text(e.getMessage()), KEY),
                    e);
        }
    }

    @Override
    public boolean replace(@Nullable Membership expected, Membership next) throws IOException {
        String text = MembershipText.format(cell, next);
        ObjectNode found = configMap();
        if (found == null) {
            return expected == null && create(text);
        }
        Membership stored = membership(found);
        return (expected == null ? stored == null : expected.equals(stored)) && update(found, text);
    }

    private boolean create(String text) throws IOException {
        ObjectNode created = JsonNodeFactory.instance.objectNode();
        created.put("apiVersion", "v1").put("kind", "ConfigMap");
        ObjectNode metadata = created.putObject("metadata").put("name", name);
        metadata.putObject("labels").put("app.kubernetes.io/managed-by", "paxoslease");
        created.putObject("data").put(KEY, text);
        KubernetesApi.Answer answer = api.send("POST", path(), created);
        return switch (answer.status()) {
            case OK, CREATED -> true;
            case CONFLICT -> false;
            case NOT_FOUND ->
                throw new IOException("Cannot create the %s: there is no such namespace (%s)"
                        .formatted(describe(), Printable.text(answer.message())));
            default -> throw refused("create", "create", answer);
        };
    }

    /** With the version that was read, which Kubernetes compares with its own. */
    private boolean update(ObjectNode found, String text) throws IOException {
        if (found.path("metadata").path("resourceVersion").asString("").isEmpty()) {
            throw new IOException(
                    "The %s came without a version, so it cannot be changed safely: what answers is no Kubernetes"
                            .formatted(describe()));
        }
        ObjectNode changed = found.deepCopy();
        ObjectNode data = changed.get("data") instanceof ObjectNode present ? present : changed.putObject("data");
        data.put(KEY, text);
        KubernetesApi.Answer answer = api.send("PUT", path() + "/" + name, changed);
        return switch (answer.status()) {
            case OK, CREATED -> true;
            case CONFLICT, NOT_FOUND -> false;
            default -> throw refused("update", "update", answer);
        };
    }

    private IOException refused(String what, String verb, KubernetesApi.Answer answer) throws IOException {
        String why = answer.status() == FORBIDDEN
                ? "; give its service account a role for config maps with the verbs get, update and create, the first two for '%s': the verb '%s' is missing"
                        .formatted(name, verb)
                : "";
        return new IOException("Cannot %s the %s: Kubernetes answers %d, %s%s"
                .formatted(what, describe(), answer.status(), Printable.text(answer.message()), why));
    }

    private String path() throws IOException {
        return "/api/v1/namespaces/" + namespace() + "/configmaps";
    }

    private String namespace() throws IOException {
        if (givenNamespace != null) {
            return givenNamespace;
        }
        String namespace = api.namespace();
        if (!NAMESPACE.matcher(namespace).matches()) {
            throw new IOException(
                    "The service account is of the namespace '%s', which cannot be one: set paxoslease.membership-store.namespace"
                            .formatted(namespace));
        }
        return namespace;
    }

    @Override
    public String describe() {
        return givenNamespace == null
                ? "config map '%s'".formatted(name)
                : "config map '%s' of namespace '%s'".formatted(name, givenNamespace);
    }
}
