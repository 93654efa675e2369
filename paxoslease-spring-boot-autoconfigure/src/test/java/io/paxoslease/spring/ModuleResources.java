package io.paxoslease.spring;

import io.paxoslease.spring.autoconfigure.PaxosLeaseAutoConfiguration;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/** Reads this module's own resources: other jars have files of the same names. */
public final class ModuleResources {

    private ModuleResources() {}

    /** The text of the resource at that path below the classes, without a leading slash. */
    public static String read(String path) throws IOException {
        String classes = PaxosLeaseAutoConfiguration.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toString();
        try (InputStream in = URI.create(classes + path).toURL().openStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
