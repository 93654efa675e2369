package io.paxoslease.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** The files below {@code deploy} fit together, and name properties that there are. */
class DeploymentFilesTest {

    private static Map<?, ?> yaml(String file) throws IOException {
        return new Yaml(new SafeConstructor(new LoaderOptions())).load(Files.readString(Path.of("deploy", file)));
    }

    private static Map<?, ?> map(@Nullable Object value) {
        return (Map<?, ?>) Objects.requireNonNull(value);
    }

    private static Map<String, String> peers(String file) throws IOException {
        Map<String, String> peers = new TreeMap<>();
        map(map(yaml(file).get("paxoslease")).get("peers"))
                .forEach((id, address) -> peers.put(String.valueOf(id), String.valueOf(address)));
        return peers;
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

    @Test
    void theUnitReadsTheListOfMembers() throws IOException {
        String unit = Files.readString(Path.of("deploy/systemd/paxoslease-node.service"));
        assertThat(unit)
                .contains("--spring.config.additional-location=file:/etc/paxoslease/")
                .contains("-Xmx64m");
        assertThat(peers("systemd/application.yml")).hasSize(3);
        assertThat(Files.readString(Path.of("deploy/systemd/application.yml"))).startsWith("# /etc/paxoslease/");
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
