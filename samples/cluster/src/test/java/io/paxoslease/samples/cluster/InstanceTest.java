package io.paxoslease.samples.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InstanceTest {

    private final Narrator narrator =
            new Narrator(new Screen(new PrintStream(OutputStream.nullOutputStream()), false), new Journal());

    private @Nullable Instance instance;

    /** The cluster makes it under its own lock, under which it also asks for states. */
    @Test
    void itsStateCanBeAskedWhileItsCommandLineIsMade(@TempDir Path directory) throws Exception {
        Instance made =
                new Instance(new Node("n1", 1, 2), this::stateThenCommand, directory.resolve("n1.log"), narrator);
        instance = made;
        made.start();
        assertThat(made.awaitEnd(TimeUnit.SECONDS.toMillis(10))).isTrue();
        await().until(() -> made.state() == Instance.State.DOWN); // only then is its log written
    }

    private List<String> stateThenCommand() {
        Instance.State asked = CompletableFuture.supplyAsync(
                        () -> Objects.requireNonNull(instance).state())
                .orTimeout(5, TimeUnit.SECONDS)
                .join();
        assertThat(asked).isEqualTo(Instance.State.DOWN);
        return List.of("true");
    }
}
