package io.paxoslease.node;

import io.paxoslease.PaxosLease;
import io.paxoslease.protocol.Printable;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** Which names a lease may have. */
public final class ResourceNames {

    private ResourceNames() {}

    /**
     * Answers the name.
     *
     * @throws IllegalArgumentException when it is empty, longer than {@value PaxosLease#MAX_RESOURCE_BYTES} bytes of UTF-8, or no valid Unicode
     */
    public static String check(String resource) {
        return isPlain(Objects.requireNonNull(resource, "resource")) ? resource : checkAny(resource);
    }

    /** Of the characters that nearly all names consist of: no other check is needed. */
    private static boolean isPlain(String resource) {
        int length = resource.length();
        for (int i = 0; i < length; i++) {
            if (resource.charAt(i) >= 0x80) {
                return false;
            }
        }
        return length > 0 && length <= PaxosLease.MAX_RESOURCE_BYTES;
    }

    private static String checkAny(String resource) {
        int length = resource.getBytes(StandardCharsets.UTF_8).length;
        if (length == 0 || length > PaxosLease.MAX_RESOURCE_BYTES) {
            throw new IllegalArgumentException(
                    "A resource name has 1 to %d bytes of UTF-8, this one has %d: shorten it, or use a hash of it: '%s'"
                            .formatted(PaxosLease.MAX_RESOURCE_BYTES, length, Printable.name(resource)));
        }
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(resource)) {
            throw new IllegalArgumentException(
                    "A resource name must be valid Unicode, and this one has half of a surrogate pair: '"
                            + Printable.name(resource) + "'");
        }
        return resource;
    }
}
