package io.paxoslease.rivals;

import io.paxoslease.rivals.backends.WorkerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/** One contender's servers, and a process with its clients. */
final class Session implements AutoCloseable {

    private final Contender contender;
    private final Servers servers;
    private final WorkerProcess worker;

    private Session(Contender contender, Servers servers, WorkerProcess worker) {
        this.contender = contender;
        this.servers = servers;
        this.worker = worker;
    }

    static Session open(Contender contender, Workload workload, Path directory, int heapMegabytes)
            throws IOException, InterruptedException {
        Servers servers = contender.backend().start(directory, workload.clients(), workload.tuning());
        boolean opened = false;
        try {
            List<Integer> clients =
                    IntStream.range(0, workload.clients()).boxed().toList();
            WorkerProcess worker = WorkerProcess.start(
                    directory.resolve("clients.log"),
                    new WorkerProcess.Spec(
                            contender.name(),
                            clients,
                            workload.tuning(),
                            workload.holdsLong(),
                            servers.addresses(),
                            heapMegabytes));
            worker.awaitReady();
            servers.awaitReady();
            opened = true;
            return new Session(contender, servers, worker);
        } finally {
            if (!opened) {
                servers.close();
            }
        }
    }

    Contender contender() {
        return contender;
    }

    Servers servers() {
        return servers;
    }

    WorkerProcess worker() {
        return worker;
    }

    @Override
    public void close() {
        worker.close();
        servers.close();
    }
}
