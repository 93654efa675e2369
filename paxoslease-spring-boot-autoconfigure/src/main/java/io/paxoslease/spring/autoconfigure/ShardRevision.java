package io.paxoslease.spring.autoconfigure;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.SortedMap;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.info.BuildProperties;
import org.springframework.boot.info.GitProperties;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;

/**
 * What the application runs, as far as it shows without being told: its version, its commit, and a hash of its configuration files. Two instances of
 * one release must not differ in it, so the hash leaves out what may differ between hosts: variables and system properties, which are in no file;
 * placeholders, which count as they are written; and properties whose names say that they are of one host, or secret.
 */
final class ShardRevision {

    /** The name that Spring Boot gives to the source of a file; the files of a secret or a config tree have other names. */
    private static final String FILE = "Config resource";

    /** The last word of a name, and names of this library that tell nodes apart. */
    private static final Pattern LEFT_OUT = Pattern.compile(
            "(.*[.-])?(port|ports|host|hostname|address|addresses|url|uri|ip|zone|rack|region|instance|instance-id|id|pid|path|file|dir|directory"
                    + "|password|passwd|secret|token|key|credentials|username|user|certificate|private-key)(\\[.*])?"
                    + "|paxoslease\\.(mode|peers.*|contact-points.*|previous-.*|generation|ssl\\..*|roles\\..*\\.eligible|shards\\..*\\.max-owned)");

    private static final int DIGITS = 8;

    private ShardRevision() {}

    static String of(@Nullable BuildProperties build, @Nullable GitProperties git, Environment environment) {
        StringJoiner revision = new StringJoiner("-");
        String version = build == null ? null : build.getVersion();
        if (version == null) {
            version = environment.getProperty("spring.application.version");
        }
        if (version != null && !version.isBlank()) {
            revision.add(version);
        }
        String commit = git == null ? null : git.getShortCommitId();
        if (commit != null) {
            revision.add(commit);
        }
        return revision.add(hash(configuration(environment))).toString();
    }

    /** What the files say, before placeholders are resolved. */
    static SortedMap<String, String> configuration(Environment environment) {
        SortedMap<String, String> configuration = new TreeMap<>();
        if (environment instanceof ConfigurableEnvironment configurable) {
            for (PropertySource<?> source : configurable.getPropertySources()) {
                if (source.getName().startsWith(FILE) && source instanceof EnumerablePropertySource<?> file) {
                    for (String name : file.getPropertyNames()) {
                        if (!LEFT_OUT.matcher(name).matches()) {
                            configuration.putIfAbsent(name, String.valueOf(file.getProperty(name)));
                        }
                    }
                }
            }
        }
        return configuration;
    }

    private static String hash(Map<String, String> configuration) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            configuration.forEach(
                    (name, value) -> digest.update((name + "=" + value + "\0").getBytes(StandardCharsets.UTF_8)));
            return HexFormat.of().formatHex(digest.digest()).substring(0, DIGITS);
        } catch (NoSuchAlgorithmException everyPlatformHasIt) {
            throw new IllegalStateException(everyPlatformHasIt);
        }
    }
}
