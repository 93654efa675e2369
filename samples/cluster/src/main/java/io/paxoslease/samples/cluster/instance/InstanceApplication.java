package io.paxoslease.samples.cluster.instance;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.scheduling.annotation.EnableScheduling;

/** One instance of the application: a node of the cell, named by the property {@code instance}. */
@SpringBootApplication(proxyBeanMethods = false)
@EnableScheduling
public class InstanceApplication {

    /** Runs until the process gets a signal to end, or until the launcher has closed its standard input. */
    public static void run(String... args) {
        if (!Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING)) { // then it is the build that runs this
            Thread watch = new Thread(InstanceApplication::exitWithoutLauncher, "launcher-watch");
            watch.setDaemon(true);
            watch.start();
        }
        SpringApplication.run(InstanceApplication.class, args);
    }

    /** The launcher writes nothing and keeps the pipe open: its end means that the launcher is dead. */
    private static void exitWithoutLauncher() {
        try (InputStream in = System.in) {
            in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException brokenPipe) {
            // Means the same as the end of the stream.
        }
        System.exit(0);
    }
}
