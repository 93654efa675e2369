package io.paxoslease.node;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Which boot of which machine this process runs on, where the system says so, as Linux does. */
final class MachineBoot {

    private static final Path ID = Path.of("/proc/sys/kernel/random/boot_id");

    private MachineBoot() {}

    /** Null: the system does not say, or not now. */
    static @Nullable String read() {
        try {
            return Files.readString(ID, StandardCharsets.US_ASCII);
        } catch (IOException | SecurityException unknown) {
            return null;
        }
    }
}
