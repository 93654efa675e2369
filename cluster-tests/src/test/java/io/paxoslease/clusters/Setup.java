package io.paxoslease.clusters;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What the instances of a cell are started with, beside what all cells have in common.
 *
 * @param talk whether they talk to each other; else they meet in a store
 * @param javaOptions of the virtual machine
 * @param options of the application
 * @param jars on the class path
 * @param alias one name that leads to all of them; empty: there is none
 * @param application where the application is in the container
 */
record Setup(
        boolean talk,
        List<String> javaOptions,
        List<String> options,
        List<Path> jars,
        String alias,
        String application) {

    /** In a container: by how many milliseconds its wall clock is ahead. */
    static final String CLOCK = "/tmp/clock";

    /** A made-up next version of the wire format. */
    private static final int NEXT = 2;

    private static final String AGENT = "-javaagent:";

    static Setup of(String... options) {
        return new Setup(true, List.of(), List.of(options), List.of(), "", InstanceImage.APPLICATION);
    }

    static Setup overStorage(String... options) {
        return new Setup(
                        false,
                        List.of(),
                        List.of("--paxoslease.algorithm=storage"),
                        List.of(),
                        "",
                        InstanceImage.APPLICATION)
                .with(options);
    }

    /** Wall clocks that are the machine's until they are {@linkplain Member#setClockAhead set}. */
    Setup withClocksThatCanBeSet() {
        return withAgent(CLOCK);
    }

    /**
     * An instance of another release, with such a clock: the release whose jar the property {@code cluster.previous} names. By default this
     * release, which also speaks a made-up next version of the wire format.
     */
    Setup ofAnotherRelease() {
        return Application.previous() == null
                ? withAgent(CLOCK + "," + NEXT)
                : new Setup(talk, javaOptions, options, jars, alias, InstanceImage.PREVIOUS);
    }

    private Setup withAgent(String arguments) {
        List<String> others =
                javaOptions.stream().filter(each -> !each.startsWith(AGENT)).toList();
        String agent = "%s%s=%s".formatted(AGENT, InstanceImage.WITNESS_JAR, arguments);
        return new Setup(talk, joined(others, agent), options, jars, alias, application);
    }

    Setup with(String... more) {
        return new Setup(talk, javaOptions, joined(options, more), jars, alias, application);
    }

    Setup withJars(List<Path> more) {
        return new Setup(talk, javaOptions, options, List.copyOf(more), alias, application);
    }

    /** The same for instances that one name leads to. */
    Setup withAlias(String name) {
        return new Setup(talk, javaOptions, options, jars, name, application);
    }

    /** For clients of a cell, who ask for its members by that name of theirs; the application's own file lists some. */
    Setup forClientsOf(String name) {
        return with(
                        "--spring.config.location=optional:classpath:/of-a-client.yml",
                        "--management.endpoints.web.exposure.include=health,leases",
                        "--paxoslease.mode=client",
                        "--paxoslease.node-id=${instance}",
                        "--paxoslease.lease-time=2s",
                        "--paxoslease.contact-points=" + name + ":" + Member.PEER_PORT)
                .with(Certificates.options().toArray(String[]::new));
    }

    /** For members of a cell that changes, whose list and times are the given ones and not those of the application's own file. */
    Setup forMembersOf(Listing listing) {
        return with(
                        "--spring.config.location=optional:classpath:/of-a-member.yml",
                        "--management.endpoints.web.exposure.include=health,leases",
                        "--paxoslease.node-id=${instance}",
                        "--paxoslease.lease-time=2s",
                        "--paxoslease.bind-host=0.0.0.0")
                .with(listing.options(member -> member + ":" + Member.PEER_PORT).toArray(String[]::new))
                .with(Certificates.options().toArray(String[]::new));
    }

    /** For those who talk: who they are, and that they do so over mutual TLS. */
    Setup forCellOf(int size) {
        if (!talk) {
            return this;
        }
        return with(IntStream.rangeClosed(1, size)
                        .mapToObj(i -> "--paxoslease.peers.n%d=n%d:%s".formatted(i, i, Member.PEER_PORT))
                        .toArray(String[]::new))
                .with("--paxoslease.bind-host=0.0.0.0")
                .with(Certificates.options().toArray(String[]::new));
    }

    private static List<String> joined(List<String> some, String... more) {
        List<String> all = new ArrayList<>(some);
        all.addAll(List.of(more));
        return List.copyOf(all);
    }
}
