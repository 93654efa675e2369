package io.paxoslease.clusters;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.utility.DockerImageName;
import org.testcontainers.utility.MountableFile;

/**
 * What the instances are made of: the application, the witness, and an archive of the classes that a start loads, so that a start takes
 * less of the machine. Made once in each run, by an instance that starts and ends, and removed with the run.
 */
final class InstanceImage {

    static final String WITNESS_JAR = "/witness.jar";

    static final String APPLICATION = "/application";

    /** The release before, where there is one. */
    static final String PREVIOUS = "/previous";

    private static final String ARCHIVE = "/instance.jsa";

    /** An archive is of use to a virtual machine with the same ones only. */
    private static final List<String> JAVA_OPTIONS = List.of("-Xmx160m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

    private static final String FIRST = "first";

    private InstanceImage() {}

    static DockerImageName name() {
        return Made.IMAGE;
    }

    /** How the virtual machine is started in the image, without the class path. */
    static List<String> javaOptions(String application) {
        return application.equals(APPLICATION) ? with("-XX:SharedArchiveFile=" + ARCHIVE) : JAVA_OPTIONS;
    }

    /** The archive is of use to one that begins with that of {@link #APPLICATION}. */
    static String classPath(String application) {
        return "%s/application.jar:%s".formatted(application, WITNESS_JAR);
    }

    private static List<String> with(String option) {
        List<String> options = new ArrayList<>(JAVA_OPTIONS);
        options.add(option);
        return options;
    }

    private static DockerImageName make() {
        try (GenericContainer<?> container = new GenericContainer<>(DockerImageName.parse(Docker.IMAGE))) {
            Path certificates = Certificates.ofNewAuthority().directoryFor(FIRST, "");
            container
                    .withCopyFileToContainer(MountableFile.forHostPath(Application.directory()), APPLICATION)
                    .withCopyFileToContainer(MountableFile.forHostPath(Application.witness()), WITNESS_JAR)
                    .withCopyFileToContainer(
                            MountableFile.forHostPath(certificates.toAbsolutePath()), Certificates.DIRECTORY)
                    .withCommand(command().toArray(String[]::new))
                    .withLabels(Docker.labels())
                    .withCreateContainerCmdModifier(
                            create -> create.withHostName(FIRST).withStdinOpen(true));
            Path previous = Application.previous();
            if (previous != null) {
                container.withCopyFileToContainer(MountableFile.forHostPath(previous), PREVIOUS);
            }
            container.start();
            Machine instance = new Machine(FIRST, container, "");
            Wait.until("the first instance is ready", () -> instance.logs().contains("@cluster ready"));
            instance.terminate();
            instance.awaitEnd();
            return Docker.imageOf(instance, ARCHIVE);
        }
    }

    /** One of two members; the other one never starts. */
    private static List<String> command() {
        List<String> command = new ArrayList<>(List.of("java"));
        command.addAll(with("-XX:ArchiveClassesAtExit=" + ARCHIVE));
        command.addAll(List.of(
                "-cp",
                classPath(APPLICATION),
                Application.MAIN_CLASS,
                "--instance=" + FIRST,
                "--witness.directory=/tmp",
                "--sample.counter-file=/tmp/counter",
                "--server.port=" + Member.HTTP_PORT));
        command.addAll(Setup.of()
                .forMembersOf(Listing.of(List.of(FIRST, "second"), Duration.ofSeconds(2)))
                .options());
        return command;
    }

    /** Apart, because what is awaited while it is made runs in another thread and needs the class around it. */
    private static final class Made {

        static final DockerImageName IMAGE = make();
    }
}
