package io.paxoslease.rivals.backends;

import io.paxoslease.rivals.Servers;
import java.io.IOException;
import java.util.List;

/** Server processes, and how their memory is read. */
final class RunningServers implements Servers {

    /** How the memory in use is read. */
    interface Usage {
        long bytes() throws IOException, InterruptedException;
    }

    private final List<String> addresses;
    private final List<Child> children;
    private final Usage usage;

    RunningServers(List<String> addresses, List<Child> children, Usage usage) {
        this.addresses = List.copyOf(addresses);
        this.children = List.copyOf(children);
        this.usage = usage;
    }

    @Override
    public List<String> addresses() {
        return addresses;
    }

    @Override
    public List<Long> processes() {
        return children.stream().map(child -> child.process().pid()).toList();
    }

    @Override
    public long usedBytes() throws IOException, InterruptedException {
        return usage.bytes();
    }

    @Override
    public void close() {
        children.forEach(Child::close);
    }

    /** Bytes of live objects of Java servers. */
    static Usage live(List<Child> children) {
        return () -> {
            long bytes = 0;
            for (Child child : children) {
                bytes += ProcessFacts.liveBytes(child.process().pid());
            }
            return bytes;
        };
    }

    /** Resident bytes. */
    static Usage resident(List<Child> children) {
        return () -> {
            long bytes = 0;
            for (Child child : children) {
                bytes += ProcessFacts.residentBytes(child.process().pid());
            }
            return bytes;
        };
    }
}
