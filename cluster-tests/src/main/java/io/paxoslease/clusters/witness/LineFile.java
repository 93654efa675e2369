package io.paxoslease.clusters.witness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file of lines to which instances append, several to one file if need be. A line is one write, so it is there as a whole
 * when the process is killed next, and lines of several writers do not mix. All lines are {@link #WIDTH} bytes long. Thread-safe.
 */
final class LineFile implements AutoCloseable {

    /** With the line's end. A power of two: the kernel writes page by page, and no line lies in two pages. */
    static final int WIDTH = 128;

    private final FileChannel channel;

    LineFile(Path file) {
        try {
            channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Writes the words, separated by blanks. An interrupt waits until that is done: it would close the channel. */
    void append(Object... words) {
        StringBuilder line = new StringBuilder();
        for (Object word : words) {
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        boolean interrupted = Thread.interrupted();
        try {
            channel.write(padded(line.toString()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** That line at its full width. */
    static ByteBuffer padded(String words) {
        byte[] line = ("%-" + (WIDTH - 1) + "s\n").formatted(words).getBytes(StandardCharsets.US_ASCII);
        if (line.length != WIDTH) {
            throw new IllegalArgumentException("longer than %d bytes: %s".formatted(WIDTH, words));
        }
        return ByteBuffer.wrap(line);
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
