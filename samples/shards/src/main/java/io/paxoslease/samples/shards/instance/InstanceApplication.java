package io.paxoslease.samples.shards.instance;

import io.paxoslease.spring.fencing.JdbcFence;
import javax.sql.DataSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/** One instance of the application: a node of the cell, named by the property {@code instance}. */
@SpringBootApplication(proxyBeanMethods = false)
public class InstanceApplication {

    /** Runs until the process gets a signal to end, or until the launcher has closed its standard input. */
    public static void run(String... args) {
        Launcher.follow();
        SpringApplication.run(InstanceApplication.class, args);
    }

    @Bean
    JdbcFence fence(DataSource dataSource) {
        return new JdbcFence(dataSource);
    }
}
