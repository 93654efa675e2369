package io.paxoslease.samples.shards;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The instances that are to run. Changed by one thread; any thread may read and close it. */
final class Cell implements AutoCloseable {

    private final ShardsOptions options;
    private final Database database;
    private final Path directory;
    private final Instance.Listener listener;
    private final List<Instance> instances = new CopyOnWriteArrayList<>();

    /** @param directory for the log of each instance */
    Cell(ShardsOptions options, Database database, Path directory, Instance.Listener listener) {
        this.options = options;
        this.database = database;
        this.directory = directory;
        this.listener = listener;
    }

    void start() throws IOException {
        for (String name : Instance.names(options.instances())) {
            instances.add(started(name));
        }
    }

    private Instance started(String name) throws IOException {
        return new Instance(name, options, database, directory.resolve(name + ".log"), listener);
    }

    /** Starts a process in the place of one that has ended. */
    void replace(Instance ended) throws IOException {
        instances.set(instances.indexOf(ended), started(ended.name()));
    }

    List<Instance> all() {
        return List.copyOf(instances);
    }

    List<Instance> without(Instance one) {
        return instances.stream().filter(each -> each != one).toList();
    }

    void stop() throws InterruptedException {
        instances.forEach(Instance::stop);
        for (Instance instance : instances) {
            instance.awaitEnd();
        }
    }

    /** Leaves no process behind. */
    @Override
    public void close() {
        instances.forEach(Instance::kill);
    }
}
