package io.paxoslease.spring.autoconfigure;

import io.paxoslease.spring.leader.LeaderElections;
import io.paxoslease.spring.leader.OnLeader;
import io.paxoslease.spring.lock.Locked;
import io.paxoslease.spring.lock.LockedCall;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Uses nothing but the required dependencies. {@link BareClassPathTest} runs it where there are no others. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class BareApplication {

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

    @Bean
    Job job() {
        return new Job();
    }

    /** Runs the application until its node leads. Returns what the leader's job returned, and the beans of this library. */
    public static String run() {
        try (ConfigurableApplicationContext context = SpringApplication.run(
                BareApplication.class, "--spring.main.banner-mode=off", "--paxoslease.standalone=true")) {
            LeaderElections elections = context.getBean(LeaderElections.class);
            long start = System.nanoTime();
            while (!elections.isLeader(OnLeader.DEFAULT_ROLE) && System.nanoTime() - start < PATIENCE_NANOS) {
                Thread.onSpinWait();
            }
            String[] beans = Arrays.stream(context.getBeanDefinitionNames())
                    .filter(name -> !name.contains("."))
                    .filter(name -> name.matches(".*([Ll]ease|[Ll]eader|[Ee]lection|job).*"))
                    .sorted()
                    .toArray(String[]::new);
            return context.getBean(Job.class).run() + " " + String.join(",", beans);
        }
    }

    static class Job {
        @OnLeader
        @Locked("bare")
        @Nullable
        String run() {
            return "ran under " + LockedCall.current().key();
        }
    }
}
