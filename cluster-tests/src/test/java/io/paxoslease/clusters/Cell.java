package io.paxoslease.clusters;

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
import org.testcontainers.containers.Network;
import org.testcontainers.lifecycle.Startables;
import tools.jackson.databind.JsonNode;

/** The sample application in containers on a network of their own, with a volume on which their witnesses write. */
final class Cell implements AutoCloseable {

    private static final Path LOGS = Path.of("target", "cluster-logs");

    private final String volume = "paxoslease-" + UUID.randomUUID();
    private final Certificates certificates = Certificates.ofNewAuthority();
    private final Network network;
    private final List<Member> members = new ArrayList<>();
    private @Nullable Machine store;

    /** @param options of the application, for all instances */
    Cell(int size, String... options) {
        this(size, Setup.of(options));
    }

    Cell(int size, Setup setup) {
        this();
        Setup complete = setup.forCellOf(size);
        for (int i = 1; i <= size; i++) {
            members.add(member("n" + i, complete));
        }
    }

    /** An empty one. */
    Cell() {
        Docker.removeWhatKilledRunsLeft();
        volumes().forEach(each -> Docker.client()
                .createVolumeCmd()
                .withName(each)
                .withLabels(Docker.labels())
                .exec());
        network = Network.builder()
                .createNetworkCmdModifier(each -> each.withLabels(Docker.labels()))
                .build();
    }

    /** One more instance, which is not started. */
    Member add(String name, Setup setup) {
        Member member = member(name, setup);
        members.add(member);
        return member;
    }

    /** Stops an instance in good order, and removes it. */
    void drop(Member member) {
        member.terminate();
        member.awaitEnd();
        members.remove(member);
        remove(member);
    }

    /** One for the witnesses, and one for instances that meet in a directory. */
    private List<String> volumes() {
        return List.of(volume, volume + "-leases");
    }

    private Member member(String name, Setup setup) {
        InstanceContainer container =
                new InstanceContainer(name, setup, volumes(), certificates.directoryFor(name, setup.alias()));
        return new Member(name, container.withNetwork(network), network.getId(), setup.alias());
    }

    /** One whose instances meet in a database. */
    static Cell overDatabase(int size, String... options) {
        Cell cell = new Cell(size, Database.usedBy(Setup.overStorage(options)));
        cell.store = Database.on(cell.network);
        return cell;
    }

    /** One of members that lead nothing, and of clients that are told one name of all the members. */
    static Cell withClients(int size, int clients) {
        String alias = "members";
        Cell cell = new Cell(
                size, Setup.of("--paxoslease.roles.billing.eligible=false").withAlias(alias));
        for (int i = 1; i <= clients; i++) {
            cell.add("c" + i, Setup.of().forClientsOf(alias));
        }
        return cell;
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
            if (store != null) {
                store.startable().start(); // An instance that cannot reach its store does not start.
            }
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

    /** The machine with the database where they meet. */
    Machine store() {
        return Objects.requireNonNull(store, "made without a database");
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
            if (saysForCertain(leadership, each)) {
                return new Leader(each, leadership.path("fencingToken").asLong());
            }
        }
        return null;
    }

    /** Whether the one who says so is sure that this one leads: with Flease the others are, too. */
    private static boolean saysForCertain(JsonNode leadership, Member leader) {
        return leadership.path("owner").path("certain").asBoolean(false) && names(leadership, leader);
    }

    private static boolean names(JsonNode leadership, Member leader) {
        return leadership.path("owner").path("nodeId").asString("").equals(leader.name());
    }

    /** @param token of its leadership */
    record Leader(Member member, long token) {}

    /** Waits until every instance serves and all of them name the same leader, which says so itself. */
    Leader awaitAgreement() {
        return awaitAgreement(members);
    }

    /** The same among these. */
    Leader awaitAgreement(List<Member> among) {
        AtomicReference<@Nullable Leader> agreed = new AtomicReference<>();
        Wait.until("all of " + among + " agree on a leader", () -> {
            Leader leader = leader(among);
            boolean all = leader != null && among.stream().allMatch(each -> follows(each, leader));
            agreed.set(all ? leader : null);
            return all;
        });
        return Objects.requireNonNull(agreed.get());
    }

    private static boolean follows(Member member, Leader leader) {
        return member.state().equals("SERVING") && names(member.leadership(), leader.member());
    }

    /** Waits until every instance, and not the leader alone, says for certain that this one leads. */
    void awaitCertainty(Leader leader) {
        Wait.until("all are certain of " + leader, () -> members.stream()
                .allMatch(each -> saysForCertain(each.leadership(), leader.member())));
    }

    /** What the witnesses have written down so far. */
    History history() {
        return History.of(files());
    }

    /** The files of the witnesses, by name. */
    Map<String, String> files() {
        return copies(InstanceContainer.WITNESS);
    }

    /** One of these files, which costs less than all of them. */
    String file(String name) {
        return Objects.requireNonNull(
                copies("%s/%s".formatted(InstanceContainer.WITNESS, name)).get(name));
    }

    private Map<String, String> copies(String path) {
        Map<String, String> files = new HashMap<>();
        try (InputStream copy = Docker.client()
                        .copyArchiveFromContainerCmd(members.get(0).id(), path)
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
        return files;
    }

    /** Keeps the logs and removes everything. */
    @Override
    public void close() {
        members.forEach(this::remove);
        if (store != null) {
            remove(store);
        }
        network.close();
        volumes()
                .forEach(each -> Docker.quietly(
                        () -> Docker.client().removeVolumeCmd(each).exec()));
    }

    private void remove(Machine machine) {
        if (machine.id() != null) {
            keepLog(machine);
            Docker.quietly(machine::remove);
        }
    }

    private void keepLog(Machine machine) {
        try {
            Files.createDirectories(LOGS);
            Files.writeString(LOGS.resolve("%s-%s.log".formatted(volume, machine.name())), machine.logs());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
