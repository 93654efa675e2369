package io.paxoslease.samples.kubernetes;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.scheduling.annotation.EnableScheduling;

/** One pod: a node of the cell that its stateful set forms. */
@SpringBootApplication(proxyBeanMethods = false)
@EnableScheduling
public class KubernetesApplication {

    /** Runs until the process is told to end. */
    public static void main(String... args) {
        SpringApplication.run(KubernetesApplication.class, args);
    }
}
