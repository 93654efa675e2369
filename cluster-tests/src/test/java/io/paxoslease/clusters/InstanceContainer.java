package io.paxoslease.clusters;

import com.github.dockerjava.api.model.Bind;
import com.github.dockerjava.api.model.Volume;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.AbstractWaitStrategy;
import org.testcontainers.images.builder.Transferable;
import org.testcontainers.utility.MountableFile;

/** The sample application as one instance, with its witness. */
final class InstanceContainer extends GenericContainer<InstanceContainer> {

    /** On a volume that all instances of a cell share, as the next one. */
    static final String WITNESS = "/witness";

    static final String LEASES = "/leases";

    private static final String JARS = "/jars";

    /** Everything that the virtual machine is started with, so that it can change between two starts. */
    private static final String ARGUMENTS = "/instance.args";

    InstanceContainer(String name, Setup setup, List<String> volumes, Path certificates) {
        super(InstanceImage.name());
        withNetworkAliases(setup.alias().isEmpty() ? new String[] {name} : new String[] {name, setup.alias()});
        withExposedPorts(Member.HTTP_PORT, Member.PEER_PORT);
        withCopyFileToContainer(MountableFile.forHostPath(certificates.toAbsolutePath()), Certificates.DIRECTORY);
        setup.jars()
                .forEach(each -> withCopyFileToContainer(
                        MountableFile.forHostPath(each), "%s/%s".formatted(JARS, each.getFileName())));
        withCopyToContainer(Transferable.of(arguments(name, setup)), ARGUMENTS);
        withCommand("java", "@" + ARGUMENTS);
        withLabels(Docker.labels());
        withCreateContainerCmdModifier(create -> {
            // The sample ends with its standard input.
            create.withStdinOpen(true);
            Objects.requireNonNull(create.getHostConfig())
                    .withBinds(
                            new Bind(volumes.get(0), new Volume(WITNESS)),
                            new Bind(volumes.get(1), new Volume(LEASES)));
        });
        waitingFor(new AbstractWaitStrategy() {
            @Override
            protected void waitUntilReady() {
                // The cell waits until all are there.
            }
        });
    }

    /** What it is started with from now on. */
    void configure(String name, Setup setup) {
        copyFileToContainer(Transferable.of(arguments(name, setup)), ARGUMENTS);
    }

    private static String arguments(String name, Setup setup) {
        return command(name, setup).stream()
                .map(each -> '"' + each.replace("\\", "\\\\").replace("\"", "\\\"") + '"')
                .collect(Collectors.joining("\n", "", "\n"));
    }

    private static List<String> command(String name, Setup setup) {
        List<String> command = new ArrayList<>(InstanceImage.javaOptions(setup.application()));
        // A name that does not resolve yet, or whose address has changed, is looked up again soon.
        command.addAll(List.of("-Dsun.net.inetaddr.ttl=1", "-Dsun.net.inetaddr.negative.ttl=1"));
        command.addAll(setup.javaOptions());
        command.addAll(List.of(
                "-cp",
                "%s:%s/*".formatted(InstanceImage.classPath(setup.application()), JARS),
                Application.MAIN_CLASS,
                "--instance=" + name,
                "--witness.directory=" + WITNESS,
                "--sample.counter-file=/tmp/counter",
                "--server.address=0.0.0.0",
                "--server.port=" + Member.HTTP_PORT,
                "--management.endpoint.health.show-details=always",
                "--spring.task.scheduling.pool.size=4"));
        command.addAll(setup.options());
        return command;
    }
}
