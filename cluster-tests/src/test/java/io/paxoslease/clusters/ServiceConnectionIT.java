package io.paxoslease.clusters;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.spring.autoconfigure.PaxosLeaseConnectionDetails;
import io.paxoslease.spring.leader.LeaderElections;
import io.paxoslease.spring.leader.OnLeader;
import io.paxoslease.testcontainers.PaxosLeaseContainer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application with a member in a container, as a user has it in tests: the image is built here from this build's jar. */
@RequiresDocker
class ServiceConnectionIT {

    private static final String IMAGE = "paxoslease-node:cluster-tests";

    @BeforeAll
    static void buildTheImage() {
        Docker.client()
                .buildImageCmd(Path.of(System.getProperty("cluster.node")).toFile())
                .withBuildArg("JRE", Docker.IMAGE)
                .withTags(Set.of(IMAGE))
                .withLabels(Docker.labels())
                .start()
                .awaitImageId();
    }

    @AfterAll
    static void removeTheImage() {
        Docker.quietly(
                () -> Docker.client().removeImageCmd(IMAGE).withForce(true).exec());
    }

    @Test
    void theApplicationLeadsAsAClientOfTheContainersCellWhateverItsPropertiesSay() {
        try (ConfigurableApplicationContext first = start();
                ConfigurableApplicationContext second = startBeside(first)) {
            PaxosLeaseOptions options =
                    first.getBean(PaxosLease.class).monitor().options();
            assertThat(options.isClient()).isTrue();
            assertThat(options.cell()).isEqualTo("shop");
            Wait.until("the job of one of them runs", () -> runs(first) || runs(second));
            ConfigurableApplicationContext leader = runs(first) ? first : second;
            ConfigurableApplicationContext follower = leader == first ? second : first;
            assertThat(runs(follower)).isFalse();
            leader.getBean(LeaderElections.class).stop();
            Wait.until("the other one takes over", () -> runs(follower));
        }
    }

    private static boolean runs(ConfigurableApplicationContext application) {
        return application.getBean(Job.class).run() != null;
    }

    private static ConfigurableApplicationContext start() {
        return SpringApplication.from(ServiceConnectionIT::run)
                .with(Containers.class)
                .run("--paxoslease.peers=a=10.0.0.1:7400", "--paxoslease.node-id=a", "--paxoslease.cell=bank")
                .getApplicationContext();
    }

    private static void run(String... arguments) {
        SpringApplication.run(App.class, arguments);
    }

    /** A second application that is told the same by a bean of its own. */
    private static ConfigurableApplicationContext startBeside(ConfigurableApplicationContext first) {
        SpringApplication application = new SpringApplication(App.class);
        application.addInitializers(context -> context.getBeanFactory()
                .registerSingleton("details", first.getBean(PaxosLeaseConnectionDetails.class)));
        return application.run();
    }

    @Configuration(proxyBeanMethods = false)
    static class Containers {

        @Bean
        @ServiceConnection
        PaxosLeaseContainer cell() {
            return new PaxosLeaseContainer(IMAGE)
                    .withCell("shop")
                    .withMaxLeaseTime(Duration.ofSeconds(2))
                    .withLabels(Docker.labels())
                    .withTmpFs(Map.of("/tmp", "uid=10001,exec")); // as in compose.yaml: the user of the image
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class App {

        @Bean
        Job job() {
            return new Job();
        }
    }

    static class Job {

        @OnLeader
        @Nullable
        String run() {
            return "ran";
        }
    }
}
