package io.paxoslease.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

class EntryTest {

    /** Of a later version, with a checksum that is right. */
    @Test
    void anotherFormatIsNoEntry() throws IOException {
        byte[] bytes = new Entry("x", new byte[] {1}).encode();
        assertThat(Entry.decode(bytes, "here").name()).isEqualTo("x");
        bytes[3]++;
        CRC32 crc = new CRC32();
        crc.update(bytes, 0, bytes.length - Integer.BYTES);
        ByteBuffer.wrap(bytes).putInt(bytes.length - Integer.BYTES, (int) crc.getValue());
        assertThatThrownBy(() -> Entry.decode(bytes, "here"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("here holds " + bytes.length + " bytes that are no register");
    }
}
