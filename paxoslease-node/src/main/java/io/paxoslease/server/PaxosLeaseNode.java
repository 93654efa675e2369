package io.paxoslease.server;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;

/** A member of a cell and nothing else: applications lease, lock and lead as its clients. Everything is configured by properties. */
@SpringBootConfiguration
@EnableAutoConfiguration // and no scan for components: what is registered twice is not missed when one of the two is
// gone
public class PaxosLeaseNode {

    /**
     * Runs until the process is told to stop.
     *
     * @param args Spring Boot's: {@code --name=value} for each property
     */
    public static void main(String[] args) {
        SpringApplication.run(PaxosLeaseNode.class, args);
    }
}
