package io.paxoslease.membership;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** Files that are replaced as a whole, and no reader sees half of one, not even after a crash. */
public final class SyncedFiles {

    private SyncedFiles() {}

    /**
     * Replaces the file in one step that is on the disk, except for {@link #force}.
     *
     * @param temporary a file of that directory which does not exist; it is removed if this fails, as far as that can be done
     */
    public static void replace(Path file, Path temporary, byte[] bytes) throws IOException {
        try {
            try (FileChannel channel =
                    FileChannel.open(temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                ByteBuffer buffer = ByteBuffer.wrap(bytes);
                while (buffer.hasRemaining()) {
                    channel.write(buffer);
                }
                channel.force(true);
            }
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException | RuntimeException e) {
            remove(temporary);
            throw e;
        }
    }

    /** Removes a temporary file. One that stays is read by nobody, and found by a later check. */
    public static void remove(Path temporary) {
        try {
            Files.deleteIfExists(temporary);
        } catch (IOException left) {
            // Nobody reads it.
        }
    }

    /** A rename is a change of the directory: without this it may be undone when the machine loses power. */
    public static void force(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
