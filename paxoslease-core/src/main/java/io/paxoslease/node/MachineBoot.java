package io.paxoslease.node;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The boot id of the machine, which is another one after each boot; Linux has it. */
public final class MachineBoot {

    private static final Path ID = Path.of("/proc/sys/kernel/random/boot_id");

    private MachineBoot() {}

    /** Null if the system has none, or it cannot be read. */
    public static @Nullable String read() {
        try {
            return Files.readString(ID, StandardCharsets.US_ASCII);
        } catch (IOException | SecurityException unknown) {
            return null;
        }
    }
}
