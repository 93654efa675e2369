package io.paxoslease.server;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** A member of a cell and nothing else: applications lease, lock and lead as its clients. Everything is configured by properties. */
@SpringBootApplication
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
