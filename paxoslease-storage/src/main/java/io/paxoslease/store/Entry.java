package io.paxoslease.store;

import io.paxoslease.jdbc.internal.RegisterNames;
import io.paxoslease.protocol.Printable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;

/**
 * What is stored for one register: four bytes that say so, the name and the content, each after its length in two bytes, and a
 * CRC-32 of all that. The name is there because a key may not tell it, the checksum because a store may tear or mix up.
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Entry(String name, byte[] content) {

    private static final int MAGIC = 0x504c5231; // PLR1
    private static final int FRAME = Integer.BYTES + 2 * Short.BYTES + Integer.BYTES;
    /** The longest entry, in bytes. */
    static final int MAX_BYTES = FRAME + 255 + Register.MAX_BYTES;

    byte[] encode() {
        byte[] utf8 = RegisterNames.check(name);
        RegisterNames.checkContent(content, Register.MAX_BYTES);
        ByteBuffer buffer = ByteBuffer.allocate(FRAME + utf8.length + content.length);
        buffer.putInt(MAGIC).putShort((short) utf8.length).put(utf8);
        buffer.putShort((short) content.length).put(content);
        buffer.putInt(checksum(buffer.array(), buffer.position()));
        return buffer.array();
    }

    /** @throws IOException when it was not written as a whole */
    static Entry decode(byte[] bytes, String place) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        int end = bytes.length - Integer.BYTES;
        if (bytes.length >= FRAME && buffer.getInt() == MAGIC && buffer.getInt(end) == checksum(bytes, end)) {
            byte[] utf8 = new byte[buffer.getShort()];
            byte[] content = new byte[buffer.get(utf8).getShort()];
            buffer.get(content);
            return new Entry(new String(utf8, StandardCharsets.UTF_8), content);
        }
        throw new IOException(
                "%s holds %d bytes that are no register: it is torn, or another program has written it. Remove it while no client of the store is running, or when it has been like this for longer than the longest lease time"
                        .formatted(place, bytes.length));
    }

    /**
     * The content, when it is that register's.
     *
     * @throws IOException when it is not
     */
    byte[] contentOf(String expected, String place) throws IOException {
        if (!name.equals(expected)) {
            throw new IOException(
                    "%s holds the register '%s' in the place of '%s': it was copied or renamed. Remove it while no client of the store is running, or when it has been like this for longer than the longest lease time"
                            .formatted(place, Printable.name(name), Printable.name(expected)));
        }
        return content;
    }

    private static int checksum(byte[] bytes, int length) {
        CRC32 crc = new CRC32();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }
}
