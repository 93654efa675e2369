package io.paxoslease.clusters.witness;

import io.paxoslease.spring.autoconfigure.PaxosLeaseAutoConfiguration;
import io.paxoslease.spring.leader.PaxosLeaseLeaderAutoConfiguration;
import java.io.IOException;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;

/**
 * What runs where an instance is a process of the machine instead of a container: no web server and as little of Spring as starts fast,
 * the node and its elections as every application has them, and the witness; it has no file of properties. It ends with its standard
 * input, so that none outlives the test that started it.
 */
public final class ProcessApplication {

    private ProcessApplication() {}

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    @ImportAutoConfiguration({
        PaxosLeaseAutoConfiguration.class,
        PaxosLeaseLeaderAutoConfiguration.class,
        WitnessAutoConfiguration.class
    })
    static class Beans {}

    /** Takes the application's properties, as {@code --name=value}. Ends with an exit code of 1 when it cannot start. */
    public static void main(String... args) {
        Thread watch = new Thread(ProcessApplication::endWithStandardInput, "end-with-the-test");
        watch.setDaemon(true);
        watch.start();
        new SpringApplicationBuilder(Beans.class)
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .properties("spring.config.name=none") // the sample on the class path has a file
                .run(args);
    }

    private static void endWithStandardInput() {
        try {
            while (System.in.read() >= 0) {
                // Nothing is ever written.
            }
        } catch (IOException closed) {
            // The same.
        }
        Runtime.getRuntime().halt(0);
    }
}
