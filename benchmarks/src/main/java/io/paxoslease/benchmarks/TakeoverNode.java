package io.paxoslease.benchmarks;

import io.paxoslease.LeaderCandidate;
import io.paxoslease.LeaderElection;
import io.paxoslease.Leadership;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;

/**
 * The main class of one process of the take-over benchmark: one node that stands for leader. It writes {@link #READY} and
 * {@link #GRANTED} lines, and ends with its standard input.
 */
public final class TakeoverNode {

    static final String READY = "ready";
    static final String GRANTED = "granted";

    private TakeoverNode() {}

    /** Takes the node's name, the lease time in milliseconds, and each member as {@code name=host:port}. */
    public static void main(String... args) throws IOException, InterruptedException {
        Duration leaseTime = Duration.ofMillis(Long.parseLong(args[1]));
        PaxosLeaseOptions.Builder options =
                PaxosLeaseOptions.builder(args[0]).leaseTime(leaseTime).maxLeaseTime(leaseTime);
        for (int i = 2; i < args.length; i++) {
            String[] member = args[i].split("=", 2);
            options.peer(member[0], member[1]);
        }
        PaxosLease node = PaxosLease.create(options.build());
        LeaderElection election = new LeaderElection(node, "role:benchmark", "benchmark", new Announcer());
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            election.close();
            node.close();
        }));
        node.start();
        election.start();
        LocalCell.awaitReady(node);
        System.out.println(READY);
        System.in.transferTo(OutputStream.nullOutputStream());
        System.exit(0);
    }

    private static final class Announcer implements LeaderCandidate {

        @Override
        public void onGranted(Leadership leadership) {
            System.out.println(GRANTED);
        }

        @Override
        public void onRevoked(Leadership leadership) {
            // Nothing to tidy up: the benchmark waits for the next grant.
        }
    }
}
