package io.paxoslease.benchmarks.application;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/**
 * A web application with the actuator. When it is ready it says so in a line of its standard output, then it answers each line of its
 * standard input with the bytes of heap in use after a collection, and ends with it.
 */
@SpringBootApplication
public class MeasuredApplication {

    /** Starts it; the arguments are properties. */
    public static void main(String... args) throws Exception {
        SpringApplication.run(MeasuredApplication.class, args);
        System.out.println("ready");
        try (BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            while (input.readLine() != null) {
                System.gc();
                System.out.println(Runtime.getRuntime().totalMemory()
                        - Runtime.getRuntime().freeMemory());
            }
        }
        System.exit(0);
    }
}
