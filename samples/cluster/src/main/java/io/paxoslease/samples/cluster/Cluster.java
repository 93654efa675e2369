package io.paxoslease.samples.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The three instances, and what can be done to them. Thread-safe. */
final class Cluster {

    /** Spring's switch for what the build has prepared: the instances are started as the launcher was. */
    private static final String AOT = "spring.aot.enabled";

    private static final long SHUTDOWN_MILLIS = 10_000;

    private final Narrator narrator;
    private final List<Instance> instances;
    private boolean over;

    /** @param directory for the logs, the counter, and whatever a killed process leaves behind */
    Cluster(List<Member> members, ClusterOptions options, Path directory, Narrator narrator) {
        this.narrator = narrator;
        this.instances = members.stream()
                .map(member -> new Instance(
                        member,
                        command(member, members, options, directory),
                        directory.resolve(member.name() + ".log"),
                        narrator))
                .toList();
    }

    private static List<String> command(Member member, List<Member> members, ClusterOptions options, Path directory) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx128m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.add("-Djava.io.tmpdir=" + directory);
        if (Boolean.getBoolean(AOT)) {
            command.add("-D" + AOT + "=true");
        }
        String classPath = System.getProperty("java.class.path");
        if (classPath.endsWith(".jar")) {
            command.addAll(List.of("-jar", classPath));
        } else {
            command.addAll(List.of("-cp", classPath, ClusterLauncher.class.getName()));
        }
        command.add(ClusterLauncher.INSTANCE_OPTION + member.name());
        command.add("--server.port=" + member.httpPort());
        members.forEach(each -> command.add("--paxoslease.peers." + each.name() + "=" + each.peerAddress()));
        command.add("--sample.counter-file=" + directory.resolve("counter"));
        command.add("--sample.locked=" + options.locked());
        return command;
    }

    /** Starts the instances that are down. */
    synchronized void start() throws IOException {
        boolean none = true;
        for (Instance instance : instances) {
            if (!over && !instance.isUp()) {
                instance.start();
                none = false;
            }
        }
        if (none) {
            narrator.say("", "nothing is down");
        }
    }

    /** Asks the leader's process to end. */
    synchronized void stopLeader() {
        signalLeader("stop", "is told to stop (SIGTERM)", Instance::terminate);
    }

    /** Ends the leader's process without a warning. */
    synchronized void killLeader() {
        signalLeader("kill", "is killed (SIGKILL)", Instance::kill);
    }

    private void signalLeader(String verb, String detail, Consumer<Instance> signal) {
        Instance leader = find(narrator.leader());
        if (leader == null) {
            narrator.say("", "nobody leads now: try again when somebody does");
        } else {
            narrator.signalling(leader.member().name(), verb, detail);
            signal.accept(leader);
        }
    }

    private @Nullable Instance find(@Nullable String name) {
        return instances.stream()
                .filter(each -> each.member().name().equals(name))
                .findFirst()
                .orElse(null);
    }

    /** One line for each instance. */
    synchronized void showStatus() {
        String leader = narrator.leader();
        for (Instance instance : instances) {
            String name = instance.member().name();
            String state = !instance.isUp() ? "down" : name.equals(leader) ? "leads" : "runs";
            narrator.say(name, "%-5s  %s".formatted(state, instance.member().url()));
        }
        narrator.showCounter();
    }

    /** Ends every instance, gently first. Nothing is started afterwards. */
    void shutDown() throws InterruptedException {
        synchronized (this) {
            over = true;
            narrator.silence();
        }
        instances.forEach(Instance::terminate);
        long deadline = System.nanoTime() + SHUTDOWN_MILLIS * 1_000_000;
        for (Instance instance : instances) {
            if (!instance.awaitEnd(Math.max(0, (deadline - System.nanoTime()) / 1_000_000))) {
                instance.kill();
            }
        }
        for (Instance instance : instances) {
            instance.awaitEnd(SHUTDOWN_MILLIS);
        }
    }
}
