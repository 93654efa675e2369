package io.paxoslease.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** A class path that physically lacks every optional partner: hiding single classes from Spring would prove less. */
class BareClassPathTest {

    private static final Pattern OPTIONAL = Pattern.compile(
            "(spring-integration|spring-messaging|spring-tx|spring-web|spring-jdbc|h2|postgresql"
                    + "|spring-boot-(actuator|docker-compose|testcontainers|health|micrometer|servlet|tomcat|web|webmvc|jackson|http|integration)"
                    + "|testcontainers|micrometer|reactor|reactive-streams|tomcat|jackson|context-propagation).*\\.jar");

    @Test
    void theApplicationStartsAndLeads() throws Exception {
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (URLClassLoader bare = new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader())) {
            assertThat(bare.findResource("org/springframework/integration/leader/Candidate.class"))
                    .isNull();
            assertThat(bare.findResource("org/springframework/boot/actuate/endpoint/annotation/Endpoint.class"))
                    .isNull();
            assertThat(bare.findResource("org/springframework/jdbc/core/JdbcTemplate.class"))
                    .isNull();
            assertThat(bare.findResource("org/reactivestreams/Publisher.class")).isNull();
            Thread.currentThread().setContextClassLoader(bare);
            Object result = bare.loadClass(BareApplication.class.getName())
                    .getMethod("run")
                    .invoke(null);
            assertThat(result)
                    .isEqualTo(
                            "ran under bare job,leaderBackgroundStops,leaderElections,leaderElectionsStopBarrier,leaderLocator,leaderNodeStopBarrier,leaderWatches,leadershipListenerFactory,leadershipStart,leaseLocks,onLeaderPostProcessor,onLeaderRefusal,paxosLease,paxosLeaseConnectionDetails,paxosLeaseElectionSettings,paxosLeaseEmptyVariables,paxosLeaseLifecycle,paxosLeaseMembersConverter,paxosLeaseShardSettings,paxosLeaseVoteWait");
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    private static URL[] classPath() throws MalformedURLException {
        // Surefire puts the real class path into a property of its own.
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        return Arrays.stream(classPath.split(File.pathSeparator))
                .map(File::new)
                .filter(entry -> !OPTIONAL.matcher(entry.getName()).matches())
                .map(BareClassPathTest::url)
                .toArray(URL[]::new);
    }

    private static URL url(File entry) {
        try {
            return entry.toURI().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
