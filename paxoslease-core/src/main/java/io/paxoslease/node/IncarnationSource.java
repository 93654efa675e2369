package io.paxoslease.node;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Reading;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.function.Supplier;

/**
 * Draws incarnations: 128 bits of a hash (section 2). The state of the JDK's secure source is part of the image of a process, so two processes
 * that are restored from one image would draw the same. So each draw also takes in what the system has now: its own random numbers, the clocks,
 * the boot of the machine, and the process.
 */
public final class IncarnationSource implements Supplier<Incarnation> {

    private static final Path SYSTEM_SOURCE = Path.of("/dev/urandom");
    private static final int BYTES = 32;
    private static final NodeClock CLOCK = new SystemClock();

    private final SecureRandom random;

    public IncarnationSource() {
        this(new SecureRandom());
    }

    IncarnationSource(SecureRandom random) {
        this.random = random;
    }

    @Override
    public Incarnation get() {
        MessageDigest hash = newHash();
        byte[] drawn = new byte[BYTES];
        random.nextBytes(drawn);
        hash.update(drawn);
        hash.update(ofTheSystem());
        hash.update(now());
        ByteBuffer result = ByteBuffer.wrap(hash.digest());
        return new Incarnation(result.getLong(), result.getLong());
    }

    private static MessageDigest newHash() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) { // every Java platform has it
            throw new IllegalStateException(impossible);
        }
    }

    /** Empty where the system has no such source: the JDK's own is seeded with what there is. */
    private static byte[] ofTheSystem() {
        try (InputStream source = Files.newInputStream(SYSTEM_SOURCE)) {
            return source.readNBytes(BYTES);
        } catch (IOException | SecurityException none) {
            return new byte[0];
        }
    }

    private static byte[] now() {
        Reading now = CLOCK.readPair();
        return (now.moment().nanos() + " " + now.wallMicros() + " "
                        + ProcessHandle.current().pid() + " " + MachineBoot.read())
                .getBytes(StandardCharsets.US_ASCII);
    }
}
