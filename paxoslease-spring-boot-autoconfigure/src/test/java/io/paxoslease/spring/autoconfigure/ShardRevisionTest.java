package io.paxoslease.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.spring.shards.ShardSettings;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.springframework.boot.info.BuildProperties;
import org.springframework.boot.info.GitProperties;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

/** What an application runs: equal for all instances of a release, another one for the next. */
class ShardRevisionTest {

    private static StandardEnvironment environment(String source, Map<String, Object> content) {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addLast(new MapPropertySource(source, content));
        return environment;
    }

    private static String ofFile(Map<String, Object> content) {
        return ShardRevision.of(
                null, null, environment("Config resource 'file [application.yml]' via location '.'", content));
    }

    @Test
    void anotherValueInAFileIsAnotherRevision() {
        assertThat(ofFile(Map.of("app.batch", 10)))
                .matches("[0-9a-f]{8}")
                .isEqualTo(ofFile(Map.of("app.batch", 10)))
                .isNotEqualTo(ofFile(Map.of("app.batch", 11)))
                .isNotEqualTo(ofFile(Map.of()));
    }

    @Test
    void whatDiffersBetweenHostsOrIsSecretDoesNotCount() {
        String none = ofFile(Map.of());
        for (String name : new String[] {
            "server.port",
            "server.address",
            "paxoslease.node-id",
            "paxoslease.bind-host",
            "paxoslease.peers.a",
            "paxoslease.advertise.url",
            "paxoslease.shards.invoices.max-owned",
            "spring.datasource.password",
            "app.api-key",
            "app.token",
            "app.hosts.instance-id"
        }) {
            assertThat(ofFile(Map.of(name, "x"))).as(name).isEqualTo(none);
        }
        assertThat(ofFile(Map.of("app.keyboard", "x"))).isNotEqualTo(none);
    }

    @Test
    void placeholdersCountAsTheyAreWritten() {
        assertThat(ofFile(Map.of("app.seed", "${random.uuid}")))
                .isEqualTo(ofFile(Map.of("app.seed", "${random.uuid}")));
    }

    @Test
    void otherSourcesDoNotCount() {
        assertThat(ShardRevision.of(null, null, environment("Config tree '/run/secrets'", Map.of("app.batch", 10))))
                .isEqualTo(ofFile(Map.of()));
    }

    @Test
    void theVersionAndTheCommitComeFirst() {
        Properties build = new Properties();
        build.setProperty("version", "1.4.2");
        Properties git = new Properties();
        git.setProperty("commit.id", "3f9a1bcd0123456789");
        StandardEnvironment environment = environment("other", Map.of("spring.application.version", "1.4.1"));
        assertThat(ShardRevision.of(new BuildProperties(build), new GitProperties(git), environment))
                .startsWith("1.4.2-3f9a1bc-");
        assertThat(ShardRevision.of(null, null, environment)).startsWith("1.4.1-");
    }

    @Test
    void aConfiguredRevisionCountsAlone() {
        PaxosLeaseTestSupport.runner()
                .withPropertyValues(
                        "paxoslease.shards.invoices.count=3",
                        "paxoslease.shards.invoices.revision=release 7",
                        "paxoslease.shards.orders.count=3",
                        "paxoslease.shards.orders.max-owned=2",
                        "paxoslease.shards.orders.start-wait=2s",
                        "spring.application.version=1.4.1")
                .run(context -> {
                    Map<String, ShardSettings.Group> groups =
                            context.getBean(ShardSettings.class).groups();
                    assertThat(Objects.requireNonNull(groups.get("invoices")).options())
                            .satisfies(options -> assertThat(options.revision()).startsWith("release_7~"))
                            .satisfies(
                                    options -> assertThat(options.startWait()).isZero());
                    assertThat(Objects.requireNonNull(groups.get("orders")).options())
                            .satisfies(options -> assertThat(options.revision()).startsWith("1.4.1-"))
                            .satisfies(options -> assertThat(options.maxOwned()).isEqualTo(2))
                            .satisfies(
                                    options -> assertThat(options.startWait()).hasSeconds(2));
                });
    }
}
