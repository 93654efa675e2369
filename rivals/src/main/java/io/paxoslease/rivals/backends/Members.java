package io.paxoslease.rivals.backends;

import io.paxoslease.benchmarks.FreePorts;
import io.paxoslease.rivals.Backend;
import io.paxoslease.rivals.Servers;
import io.paxoslease.rivals.Tuning;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Three members that run inside the application: each client is one, and those that no client is are processes of their
 * own here.
 */
public final class Members implements Backend {

    private static final int SIZE = 3;
    private static final int HEAP_MEGABYTES = 768;

    private final String contender;

    /** Members of that contender. */
    public Members(String contender) {
        this.contender = contender;
    }

    @Override
    public Optional<String> missing() {
        return Optional.empty();
    }

    @Override
    public String version() {
        return "";
    }

    @Override
    public Servers start(Path directory, int clients, Tuning tuning) throws IOException {
        Map<String, String> ports = FreePorts.forNodes("a", "b", "c");
        List<String> addresses = new ArrayList<>(ports.values());
        List<WorkerProcess> members = new ArrayList<>();
        for (int i = clients; i < SIZE; i++) {
            WorkerProcess.Spec spec =
                    new WorkerProcess.Spec(contender, List.of(i), tuning, false, addresses, HEAP_MEGABYTES);
            members.add(WorkerProcess.start(directory.resolve("member" + i + ".log"), spec));
        }
        return new MemberServers(addresses, members);
    }

    private record MemberServers(List<String> addresses, List<WorkerProcess> members) implements Servers {

        @Override
        public List<Long> processes() {
            return members.stream().map(WorkerProcess::pid).toList();
        }

        @Override
        public long usedBytes() throws IOException, InterruptedException {
            long bytes = 0;
            for (WorkerProcess member : members) {
                bytes += ProcessFacts.liveBytes(member.pid());
            }
            return bytes;
        }

        @Override
        public void awaitReady() throws IOException, InterruptedException {
            for (WorkerProcess member : members) {
                member.awaitReady();
            }
        }

        @Override
        public void close() {
            members.forEach(WorkerProcess::close);
        }
    }
}
