package io.paxoslease.rivals.backends;

import io.paxoslease.rivals.Backend;
import io.paxoslease.rivals.Servers;
import io.paxoslease.rivals.Tuning;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** For what needs no server. */
public final class NoServers implements Backend {

    @Override
    public Optional<String> missing() {
        return Optional.empty();
    }

    @Override
    public String version() {
        return "";
    }

    @Override
    public Servers start(Path directory, int clients, Tuning tuning) {
        return new RunningServers(List.of(), List.of(), () -> 0);
    }
}
