package io.paxoslease.clusters;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.NotFoundException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.utility.DockerImageName;

/** The engine, and the labels by which what a killed run has left is found. */
final class Docker {

    /** What every container is made of. */
    static final String IMAGE = "eclipse-temurin:17-jre";

    private static final String RUN = "io.paxoslease.cluster-tests.run";
    private static final String MACHINE = "io.paxoslease.cluster-tests.machine";

    private static final int PULL_MINUTES = 5;

    private Docker() {}

    static DockerClient client() {
        return DockerClientFactory.instance().client();
    }

    /** Whether the image is there, if need be after pulling it. */
    static boolean hasImage(String name) {
        if (isThere(name)) {
            return true;
        }
        try {
            return client().pullImageCmd(name).start().awaitCompletion(PULL_MINUTES, TimeUnit.MINUTES) && isThere(name);
        } catch (DockerException e) {
            System.err.println("Cannot pull " + name + ": " + e.getMessage());
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static boolean isThere(String image) {
        try {
            client().inspectImageCmd(image).exec();
            return true;
        } catch (NotFoundException e) {
            return false;
        }
    }

    /** Says which process of which machine made what carries them. */
    static Map<String, String> labels() {
        ProcessHandle self = ProcessHandle.current();
        return Map.of(RUN, self.pid() + "@" + startOf(self), MACHINE, machine());
    }

    /** Removes the containers, networks, images and volumes of runs on this machine whose process is no more. */
    static void removeWhatKilledRunsLeft() {
        DockerClient docker = client();
        Map<String, String> here = Map.of(MACHINE, machine());
        docker.listContainersCmd().withShowAll(true).withLabelFilter(here).exec().stream()
                .filter(each -> isOver(each.getLabels()))
                .forEach(each -> quietly(() -> docker.removeContainerCmd(each.getId())
                        .withForce(true)
                        .withRemoveVolumes(true)
                        .exec()));
        docker.listNetworksCmd().exec().stream()
                .filter(each -> machine().equals(each.getLabels().get(MACHINE)) && isOver(each.getLabels()))
                .forEach(each ->
                        quietly(() -> docker.removeNetworkCmd(each.getId()).exec()));
        docker.listImagesCmd().withLabelFilter(here).exec().stream()
                .filter(each -> isOver(each.getLabels()))
                .forEach(each -> quietly(() -> removeImage(each.getId())));
        docker.listVolumesCmd().withFilter("label", List.of(MACHINE + "=" + machine())).exec().getVolumes().stream()
                .filter(each -> isOver(each.getLabels()))
                .forEach(each ->
                        quietly(() -> docker.removeVolumeCmd(each.getName()).exec()));
    }

    /**
     * Makes an image of a container that has ended, until this process ends.
     *
     * @param file must be in it
     */
    static DockerImageName imageOf(Machine machine, String file) {
        try {
            client().copyArchiveFromContainerCmd(machine.id(), file).exec().close();
            String id = client().commitCmd(machine.id())
                    .withRepository("paxoslease-cluster-tests")
                    .withTag(Long.toString(ProcessHandle.current().pid()))
                    .withLabels(labels())
                    .exec();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> quietly(() -> removeImage(id))));
            return DockerImageName.parse(id);
        } catch (IOException | NotFoundException e) {
            throw new IllegalStateException(machine + " has ended without " + file + ": " + machine.logs(), e);
        }
    }

    private static void removeImage(String id) {
        client().removeImageCmd(id).withForce(true).exec();
    }

    private static boolean isOver(Map<String, String> labels) {
        String[] run = labels.getOrDefault(RUN, "").split("@", 2);
        return run.length == 2
                && ProcessHandle.of(Long.parseLong(run[0]))
                        .filter(each -> startOf(each).equals(run[1]))
                        .isEmpty();
    }

    /** For what may be gone already. */
    static void quietly(Runnable removal) {
        try {
            removal.run();
        } catch (DockerException e) {
            System.err.println("Not removed: " + e.getMessage());
        }
    }

    private static String startOf(ProcessHandle process) {
        return process.info()
                .startInstant()
                .map(each -> Long.toString(each.toEpochMilli()))
                .orElse("unknown");
    }

    private static String machine() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown";
        }
    }
}
