package io.paxoslease.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import tools.jackson.databind.json.JsonMapper;

/** The files below {@code deploy} fit together, and name properties that there are. */
class DeploymentFilesTest {

    private static Map<?, ?> yaml(String file) throws IOException {
        return new Yaml(new SafeConstructor(new LoaderOptions())).load(Files.readString(Path.of("deploy", file)));
    }

    private static Map<?, ?> map(@Nullable Object value) {
        return (Map<?, ?>) Objects.requireNonNull(value);
    }

    private static Map<String, String> peers(String file) throws IOException {
        return list(file, "peers");
    }

    private static Map<String, String> list(String file, String name) throws IOException {
        Map<String, String> peers = new TreeMap<>();
        map(map(yaml(file).get("paxoslease")).get(name))
                .forEach((id, address) -> peers.put(String.valueOf(id), String.valueOf(address)));
        return peers;
    }

    private static List<Map<?, ?>> plays(String file) throws IOException {
        List<?> plays = new Yaml(new SafeConstructor(new LoaderOptions()))
                .load(Files.readString(Path.of("deploy/ansible", file)));
        List<Map<?, ?>> all = new ArrayList<>();
        plays.forEach(each -> all.add(map(each)));
        return all;
    }

    /** The names of the starter's properties, without {@code paxoslease.}, of values and of maps. */
    private static Set<String> properties() throws IOException {
        Set<String> names = new HashSet<>();
        var files =
                DeploymentFilesTest.class.getClassLoader().getResources("META-INF/spring-configuration-metadata.json");
        while (files.hasMoreElements()) {
            try (InputStream in = files.nextElement().openStream()) {
                JsonMapper.shared()
                        .readTree(in)
                        .path("properties")
                        .forEach(each -> names.add(each.path("name").asString()));
            }
        }
        return names.stream()
                .filter(each -> each.startsWith("paxoslease."))
                .map(each -> each.substring("paxoslease.".length()))
                .collect(Collectors.toSet());
    }

    @Test
    void everyServiceIsAMemberUnderItsName() throws IOException {
        Map<String, String> members = new TreeMap<>();
        map(yaml("compose/compose.yaml").get("services")).forEach((name, service) -> {
            Object id = map(map(service).get("environment")).get("PAXOSLEASE_NODE_ID");
            members.put(String.valueOf(id), name + ":7400");
        });
        assertThat(members).isEqualTo(peers("compose/config/application.yml")).hasSize(3);
    }

    /** The variables of a member or client, by name: each is a property that there is. */
    private static void assertProperties(Map<?, ?> variables) throws IOException {
        assertThat(variables.keySet().stream().map(name -> String.valueOf(name)
                        .replace("PAXOSLEASE_", "")
                        .toLowerCase(Locale.ROOT)
                        .replace('_', '-')))
                .isSubsetOf(properties());
    }

    private static Map<String, String> peersOfText(@Nullable Object text) {
        Map<String, String> peers = new TreeMap<>();
        for (String each : String.valueOf(text).split(",", -1)) {
            peers.put(each.substring(0, each.indexOf('=')), each.substring(each.indexOf('=') + 1));
        }
        return peers;
    }

    @Test
    void theApplicationOfTheComposeFileIsAClientOfItsMembers() throws IOException {
        Map<?, ?> app = map(map(yaml("compose/app.yaml").get("services")).get("app"));
        Map<?, ?> variables = map(app.get("environment"));
        assertProperties(variables);
        assertThat(variables.get("PAXOSLEASE_MODE")).isEqualTo("client");
        assertThat(variables.get("PAXOSLEASE_CELL"))
                .isEqualTo(map(yaml("compose/config/application.yml").get("paxoslease"))
                        .get("cell"));
        assertThat(String.valueOf(variables.get("PAXOSLEASE_CONTACT_POINTS")).split(",", -1))
                .containsExactlyInAnyOrderElementsOf(
                        peers("compose/config/application.yml").values());
        assertThat(app.get("ports")).as("any number of containers").isNull();
    }

    @Test
    void theMembersOnCloudFoundryAreOneAppEach() throws IOException {
        Map<String, String> members = new TreeMap<>();
        Set<Object> lists = new HashSet<>();
        for (Object each : (List<?>)
                Objects.requireNonNull(yaml("cloudfoundry/manifest.yml").get("applications"))) {
            Map<?, ?> app = map(each);
            Map<?, ?> variables = map(app.get("env"));
            assertProperties(variables);
            assertThat(app.get("instances")).isEqualTo(1);
            assertThat(variables.get("PAXOSLEASE_NODE_ID")).isEqualTo(app.get("name"));
            Object route = map(((List<?>) Objects.requireNonNull(app.get("routes"))).get(0))
                    .get("route");
            members.put(String.valueOf(app.get("name")), route + ":7400");
            lists.add(Objects.requireNonNull(variables.get("PAXOSLEASE_PEERS")));
        }
        assertThat(lists).hasSize(1);
        assertThat(members).isEqualTo(peersOfText(lists.iterator().next())).hasSize(3);
    }

    @Test
    void theTemplateForEcsEndsTheOldTaskFirst() throws IOException {
        Map<?, ?> template = yaml("ecs/member.yaml");
        Map<?, ?> parameters = map(template.get("Parameters"));
        Map<String, String> peers = peersOfText(map(parameters.get("Peers")).get("Default"));
        assertThat(peers).hasSize(3).allSatisfy((id, address) -> assertThat(address)
                .isEqualTo(id + ".shop.internal:7400"));

        Map<?, ?> resources = map(template.get("Resources"));
        Map<?, ?> service = map(map(resources.get("Service")).get("Properties"));
        assertThat(service.get("DesiredCount")).isEqualTo(1);
        assertThat(service.get("DeploymentConfiguration"))
                .isEqualTo(Map.of("MinimumHealthyPercent", 0, "MaximumPercent", 100));
        List<?> containers =
                (List<?>) map(map(resources.get("Task")).get("Properties")).get("ContainerDefinitions");
        Map<Object, Object> variables = new TreeMap<>();
        ((List<?>) Objects.requireNonNull(
                        map(Objects.requireNonNull(containers).get(0)).get("Environment")))
                .forEach(each -> variables.put(map(each).get("Name"), map(each).get("Value")));
        assertProperties(variables);
        assertThat(variables).containsEntry("PAXOSLEASE_NODE_ID", Map.of("Ref", "Member"));
        for (Object value : variables.values()) {
            if (value instanceof Map<?, ?> reference) {
                assertThat(parameters.containsKey(reference.get("Ref")))
                        .as("%s", reference)
                        .isTrue();
            }
        }
    }

    @Test
    void theJobForNomadIsOneMemberUnderItsName() throws IOException {
        String job = Files.readString(Path.of("deploy/nomad/member.nomad.hcl"));
        Map<String, String> variables = new TreeMap<>();
        Matcher settings =
                Pattern.compile("(?m)^ +(PAXOSLEASE_[A-Z_]+) += (.*)$").matcher(job);
        while (settings.find()) {
            variables.put(settings.group(1), settings.group(2).replace("\"", ""));
        }
        assertProperties(variables);
        assertThat(variables).containsEntry("PAXOSLEASE_NODE_ID", "var.member");
        assertThat(peersOfText(variables.get("PAXOSLEASE_PEERS")))
                .hasSize(3)
                .allSatisfy((id, address) -> assertThat(address).isEqualTo(id + ".service.consul:7400"));
        assertThat(job)
                .containsPattern("count += 1\n")
                .containsPattern("canary += 0\n")
                .containsPattern("static = 7400");
    }

    /** By {@code /readyz}, with time for the boot and the quarantine before an instance that is not ready is replaced. */
    @Test
    void updatesWaitUntilAMemberVotes() throws IOException {
        for (Object each : (List<?>)
                Objects.requireNonNull(yaml("cloudfoundry/manifest.yml").get("applications"))) {
            assertThat(map(each).get("health-check-http-endpoint")).isEqualTo("/readyz");
            assertThat(map(each).get("timeout")).isEqualTo(180);
        }
        for (String file : List.of("compose/compose.yaml", "compose/compose-2.yaml")) {
            map(yaml(file).get("services")).values().forEach(service -> {
                Map<?, ?> check = map(map(service).get("healthcheck"));
                assertThat(String.valueOf(check.get("test"))).contains("/readyz");
                assertThat(check.get("start_period")).isEqualTo("180s");
            });
        }
        Map<?, ?> task = map(
                map(map(yaml("ecs/member.yaml").get("Resources")).get("Task")).get("Properties"));
        Map<?, ?> check = map(map(((List<?>) Objects.requireNonNull(task.get("ContainerDefinitions"))).get(0))
                .get("HealthCheck"));
        assertThat(String.valueOf(check.get("Command"))).contains("/readyz");
        assertThat(check.get("StartPeriod")).isEqualTo(180);
        assertThat(Files.readString(Path.of("deploy/nomad/member.nomad.hcl")))
                .containsPattern("path += \"/readyz\"")
                .doesNotContain("check_restart");
    }

    @Test
    void theUnitReadsTheListOfMembers() throws IOException {
        String unit = Files.readString(Path.of("deploy/systemd/paxoslease-node.service"));
        assertThat(unit)
                .contains("--spring.config.additional-location=file:/etc/paxoslease/")
                .contains("-Xmx64m");
        assertThat(peers("systemd/application.yml")).hasSize(3);
        assertThat(Files.readString(Path.of("deploy/systemd/application.yml"))).startsWith("# /etc/paxoslease/");
    }

    /** Else it stays as one that takes no part, and nothing starts it again. */
    @Test
    void aProcessWhoseHeapIsFullEnds() throws IOException {
        for (String file : List.of(
                "Dockerfile",
                "README.md",
                "deploy/systemd/paxoslease-node.service",
                "../samples/cluster/src/main/java/io/paxoslease/samples/cluster/InstanceCommand.java",
                "../samples/fencing/src/main/java/io/paxoslease/samples/fencing/Instance.java",
                "../samples/kubernetes/Dockerfile",
                "../samples/kubernetes/k8s/statefulset.yaml",
                "../samples/kubernetes/k8s-clients/application.yaml",
                "../samples/shards/src/main/java/io/paxoslease/samples/shards/Instance.java")) {
            assertThat(Files.readString(Path.of(file))).as(file).contains("-XX:+ExitOnOutOfMemoryError");
        }
    }

    @Test
    void everyPropertyThatAFileSetsExists() throws IOException {
        for (String file : List.of(
                "systemd/application.yml", "compose/config/application.yml", "compose/config-2/application.yml")) {
            assertThat(map(yaml(file).get("paxoslease")).keySet().stream().map(String::valueOf))
                    .as(file)
                    .isSubsetOf(properties());
        }
        List<String> templated = new ArrayList<>();
        Matcher keys = Pattern.compile("(?m)^  ([a-z-]+):").matcher(ansible("templates/application.yml.j2"));
        while (keys.find()) {
            templated.add(keys.group(1));
        }
        assertThat(templated)
                .contains("generation", "peers", "previous-peers", "max-lease-time")
                .isSubsetOf(properties());
    }

    @Test
    void theComposeFileAfterTheChangeFollowsTheOneBefore() throws IOException {
        String before = "compose/config/application.yml";
        String after = "compose/config-2/application.yml";
        assertThat(list(after, "previous-peers")).isEqualTo(peers(before));
        assertThat(map(yaml(after).get("paxoslease")).get("generation")).isEqualTo(2);
        assertThat(map(yaml(before).get("paxoslease")).get("generation")).isNull();
        assertThat(map(yaml(after).get("paxoslease")).get("cell"))
                .isEqualTo(map(yaml(before).get("paxoslease")).get("cell"));

        Map<String, String> members = new TreeMap<>();
        map(yaml("compose/compose-2.yaml").get("services")).forEach((name, service) -> {
            Object id = map(map(service).get("environment")).get("PAXOSLEASE_NODE_ID");
            members.put(String.valueOf(id), name + ":7400");
            int number = Integer.parseInt(String.valueOf(name).replace("lease-", ""));
            assertThat(map(service).get("ports"))
                    .as("where change.sh asks it")
                    .isEqualTo(List.of("127.0.0.1:%d:8080".formatted(8080 + number)));
            assertThat(map(service).get("volumes")).isEqualTo(List.of("./config-2:/app/config:ro"));
        });
        assertThat(members).isEqualTo(peers(after)).hasSize(5);
    }

    @Test
    void theScriptOfComposeStartsTheNewMembersFirstAndEveryOneOnce() throws IOException {
        String script = Files.readString(Path.of("deploy/compose/change.sh"));
        List<String> order = new ArrayList<>();
        Matcher starts = Pattern.compile("up -d --no-deps ([a-z0-9 -]+)\\n|for service in ([a-z0-9 -]+); do\\n *say")
                .matcher(script);
        while (starts.find()) {
            order.addAll(List.of((starts.group(1) == null ? starts.group(2) : starts.group(1)).split(" ")));
        }
        List<String> added =
                new ArrayList<>(peers("compose/config-2/application.yml").keySet());
        added.removeAll(peers("compose/config/application.yml").keySet());
        assertThat(order.subList(0, added.size())).isEqualTo(added);
        assertThat(order)
                .containsExactlyInAnyOrderElementsOf(
                        peers("compose/config-2/application.yml").keySet());
        assertThat(script).contains("GENERATION=2\n", "compose-2.yaml");
    }

    @Test
    void thePlaybookStartsNewMembersThenRestartsOneAtATimeAndStopsAfterTheSeal() throws IOException {
        assertThat(plays("change.yml"))
                .extracting(play -> play.get("name") + ": " + play.get("hosts") + ", serial " + play.get("serial"))
                .containsExactly(
                        "See that the cell can change: previous_members, serial null",
                        "Start the new members: members:!previous_members, serial 1",
                        "Restart the previous members, one at a time: previous_members, serial 1",
                        "Wait for the seal: members:previous_members, serial null",
                        "Stop the members that have left: previous_members:!members, serial null");
        assertThat(plays("install.yml"))
                .extracting(task -> String.valueOf(task.get("name")))
                .endsWith(
                        "Restart it",
                        "Wait until it votes and reaches a majority",
                        "Wait until all leases have been renewed with it");
        assertThat(ansible("install.yml") + ansible("change.yml"))
                .doesNotContain("pause")
                .contains("../systemd/paxoslease-node.service", "dest: /etc/systemd/system/");
    }

    @Test
    void theInventoryIsAChangeThatLeavesAMajority() throws IOException {
        Map<?, ?> groups = map(map(yaml("ansible/inventory.yml").get("all")).get("children"));
        Set<?> members = map(map(groups.get("members")).get("hosts")).keySet();
        Set<?> previous = map(map(groups.get("previous_members")).get("hosts")).keySet();
        assertThat(members).isNotEqualTo(previous);
        assertThat(previous.stream().map(String::valueOf))
                .containsExactlyInAnyOrderElementsOf(
                        peers("systemd/application.yml").keySet());
        Map<?, ?> variables = map(map(yaml("ansible/inventory.yml").get("all")).get("vars"));
        assertThat(variables.get("generation")).isEqualTo(2);
        Matcher used = Pattern.compile("\\{\\{ ([a-z_]+) (?:}}|\\|)")
                .matcher(ansible("templates/application.yml.j2") + ansible("install.yml") + ansible("change.yml"));
        Set<String> names = new HashSet<>();
        while (used.find()) {
            names.add(used.group(1));
        }
        names.removeAll(Set.of("id", "item", "inventory_hostname", "leases")); // loops, Ansible's own, each play's
        assertThat(variables.keySet().stream().map(String::valueOf)).containsAll(names);
    }

    private static String ansible(String file) throws IOException {
        return Files.readString(Path.of("deploy/ansible", file));
    }

    /** systemd ignores what it does not know, with a line in its log. */
    @Test
    void theUnitHasNoLineThatIsNeitherASectionNorASetting() throws IOException {
        List<String> other = new ArrayList<>();
        Pattern line = Pattern.compile("\\[(Unit|Service|Install)]|[A-Z][A-Za-z]+=\\S.*|#.*|");
        for (String each : Files.readAllLines(Path.of("deploy/systemd/paxoslease-node.service"))) {
            Matcher matcher = line.matcher(each);
            if (!matcher.matches()) {
                other.add(each);
            }
        }
        assertThat(other).isEmpty();
    }
}
