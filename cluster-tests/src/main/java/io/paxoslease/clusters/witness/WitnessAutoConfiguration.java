package io.paxoslease.clusters.witness;

import io.paxoslease.PaxosLease;
import io.paxoslease.spring.leader.LeaderElections;
import java.nio.file.Path;
import java.util.List;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** Puts the witness into an application that knows nothing of it, where {@code witness.directory} is set. */
@AutoConfiguration
@ConditionalOnProperty("witness.directory")
public final class WitnessAutoConfiguration {

    @Bean
    LeaderSampler leaderSampler(LeaderElections elections, Environment environment) {
        return new LeaderSampler(elections, directory(environment), node(environment));
    }

    @Bean
    EventRecorder eventRecorder(Environment environment) {
        return new EventRecorder(directory(environment), node(environment));
    }

    @Bean
    GuardedJob guardedJob(Environment environment) {
        return new GuardedJob(directory(environment), node(environment));
    }

    /** Of {@code witness.roles}, beside the one that the guarded job needs. */
    @Bean
    RoleSamplers roleSamplers(
            LeaderElections elections, Environment environment, @Value("${witness.roles:}") List<String> roles) {
        return new RoleSamplers(roles.stream()
                .map(role -> new LeaderSampler(elections, role, directory(environment), node(environment)))
                .toList());
    }

    @Bean
    @ConditionalOnProperty("witness.callers")
    Callers callers(
            PaxosLease lease,
            Environment environment,
            @Value("${witness.callers}") int threads,
            @Value("${witness.names:256}") int names,
            @Value("${witness.long-one-of:20}") int longOneOf) {
        return new Callers(lease, directory(environment), node(environment), threads, names, longOneOf);
    }

    @Bean
    @ConditionalOnProperty("witness.hanging-directory")
    HangingDirectory hangingDirectory(
            @Value("${witness.hanging-directory}") Path directory, @Value("${witness.hangs-while}") Path file) {
        return new HangingDirectory(directory, file);
    }

    @Bean
    LossRecorder lossRecorder(PaxosLease lease, Environment environment) {
        return new LossRecorder(lease, directory(environment), node(environment));
    }

    private static Path directory(Environment environment) {
        return Path.of(environment.getRequiredProperty("witness.directory"));
    }

    private static String node(Environment environment) {
        return environment.getRequiredProperty("paxoslease.node-id");
    }
}
