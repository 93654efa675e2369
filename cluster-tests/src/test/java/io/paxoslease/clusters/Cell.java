package io.paxoslease.clusters;

import com.github.dockerjava.api.model.Bind;
import com.github.dockerjava.api.model.Volume;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.jspecify.annotations.Nullable;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.containers.wait.strategy.AbstractWaitStrategy;
import org.testcontainers.lifecycle.Startables;
import org.testcontainers.utility.DockerImageName;
import org.testcontainers.utility.MountableFile;
import tools.jackson.databind.JsonNode;

/** The sample application in containers on a network of their own, with a volume on which their witnesses write. */
final class Cell implements AutoCloseable {

    static final String IMAGE = "eclipse-temurin:17-jre";
    private static final String WITNESS = "/witness";
    private static final Path LOGS = Path.of("target", "cluster-logs");

    private final String volume = "paxoslease-" + UUID.randomUUID();
    private final Certificates certificates = Certificates.ofNewAuthority();
    private final Network network;
    private final List<Member> members = new ArrayList<>();

    /** @param options of the application, for all instances */
    Cell(int size, String... options) {
        Docker.removeWhatKilledRunsLeft();
        Docker.client()
                .createVolumeCmd()
                .withName(volume)
                .withLabels(Docker.labels())
                .exec();
        network = Network.builder()
                .createNetworkCmdModifier(each -> each.withLabels(Docker.labels()))
                .build();
        List<String> common = new ArrayList<>(List.of(options));
        for (int i = 1; i <= size; i++) {
            common.add("--paxoslease.peers.n%d=n%d:%s".formatted(i, i, Member.PEER_PORT));
        }
        for (int i = 1; i <= size; i++) {
            members.add(new Member("n" + i, container("n" + i, common), network.getId()));
        }
    }

    private GenericContainer<?> container(String name, List<String> options) {
        List<String> command = new ArrayList<>(List.of(
                "java",
                "-Xmx160m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                // A name that does not resolve yet, or whose address has changed, is looked up again soon.
                "-Dsun.net.inetaddr.ttl=1",
                "-Dsun.net.inetaddr.negative.ttl=1",
                "-cp",
                "/application/application.jar:/witness.jar",
                Application.MAIN_CLASS,
                "--instance=" + name,
                "--witness.directory=" + WITNESS,
                "--sample.counter-file=/tmp/counter",
                "--server.address=0.0.0.0",
                "--server.port=" + Member.HTTP_PORT,
                "--paxoslease.bind-host=0.0.0.0",
                "--spring.task.scheduling.pool.size=4"));
        command.addAll(Certificates.options());
        command.addAll(options);
        return new GenericContainer<>(DockerImageName.parse(IMAGE))
                .withNetwork(network)
                .withNetworkAliases(name)
                .withExposedPorts(Member.HTTP_PORT, Member.PEER_PORT)
                .withCopyFileToContainer(MountableFile.forHostPath(Application.directory()), "/application")
                .withCopyFileToContainer(MountableFile.forHostPath(Application.witness()), "/witness.jar")
                .withCopyFileToContainer(
                        MountableFile.forHostPath(
                                certificates.directoryFor(name).toAbsolutePath()),
                        Certificates.DIRECTORY)
                .withCommand(command.toArray(String[]::new))
                .withLabels(Docker.labels())
                .withCreateContainerCmdModifier(create -> {
                    // The sample ends with its standard input.
                    create.withStdinOpen(true);
                    Objects.requireNonNull(create.getHostConfig()).withBinds(new Bind(volume, new Volume(WITNESS)));
                })
                .waitingFor(new AbstractWaitStrategy() {
                    @Override
                    protected void waitUntilReady() {
                        // The cell waits until all are there.
                    }
                });
    }

    /** Starts all of them, and returns when one leads and the others know it. */
    Cell start() {
        startApart();
        try {
            awaitAgreement();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
        return this;
    }

    /** Starts all of them, and waits for nothing. */
    Cell startApart() {
        try {
            Startables.deepStart(members.stream().map(Member::startable).toList())
                    .join();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
        return this;
    }

    Certificates certificates() {
        return certificates;
    }

    List<Member> members() {
        return List.copyOf(members);
    }

    List<Member> without(Member... out) {
        return members.stream()
                .filter(each -> !Arrays.asList(out).contains(each))
                .toList();
    }

    /** Waits until one of them says that it leads for certain. */
    Leader awaitLeader(List<Member> among) {
        AtomicReference<@Nullable Leader> found = new AtomicReference<>();
        Wait.until("one of " + among + " leads", () -> {
            found.set(leader(among));
            return found.get() != null;
        });
        return Objects.requireNonNull(found.get());
    }

    private static @Nullable Leader leader(List<Member> among) {
        for (Member each : among) {
            JsonNode leadership = each.leadership();
            if (leadership.path("owner").path("certain").asBoolean(false)) {
                return new Leader(each, leadership.path("fencingToken").asLong());
            }
        }
        return null;
    }

    /** @param token of its leadership */
    record Leader(Member member, long token) {}

    /** Waits until every instance serves and all of them name the same leader, which says so itself. */
    Leader awaitAgreement() {
        AtomicReference<@Nullable Leader> agreed = new AtomicReference<>();
        Wait.until("all agree on a leader", () -> {
            Leader leader = leader(members);
            boolean all = leader != null && members.stream().allMatch(each -> follows(each, leader));
            agreed.set(all ? leader : null);
            return all;
        });
        return Objects.requireNonNull(agreed.get());
    }

    private static boolean follows(Member member, Leader leader) {
        return member.state().equals("SERVING")
                && member.leadership()
                        .path("owner")
                        .path("nodeId")
                        .asString("")
                        .equals(leader.member().name());
    }

    /** What the witnesses have written down so far. */
    History history() {
        Map<String, String> files = new HashMap<>();
        try (InputStream copy = Docker.client()
                        .copyArchiveFromContainerCmd(members.get(0).id(), WITNESS)
                        .exec();
                TarArchiveInputStream tar = new TarArchiveInputStream(copy)) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                if (entry.isFile()) {
                    String name = Path.of(entry.getName()).getFileName().toString();
                    files.put(name, new String(tar.readAllBytes(), StandardCharsets.UTF_8));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return History.of(files);
    }

    /** Keeps the logs and removes everything. */
    @Override
    public void close() {
        for (Member each : members) {
            if (each.id() != null) {
                keepLog(each);
                Docker.quietly(each::remove);
            }
        }
        network.close();
        Docker.quietly(() -> Docker.client().removeVolumeCmd(volume).exec());
    }

    private void keepLog(Member member) {
        try {
            Files.createDirectories(LOGS);
            Files.writeString(LOGS.resolve("%s-%s.log".formatted(volume, member.name())), member.logs());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
