package io.paxoslease.benchmarks;

import io.paxoslease.PaxosLease;
import io.paxoslease.election.LeaderCandidate;
import io.paxoslease.election.LeaderElection;
import io.paxoslease.election.Leadership;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The main class of one process of the take-over benchmark: one node that stands for leader. It writes {@link #READY},
 * {@link #GRANTED} and {@link #REVOKED} lines, gives leadership up at each line {@link #RESIGN} that it reads, and ends with its
 * standard input.
 */
public final class TakeoverNode {

    static final String READY = "ready";
    static final String GRANTED = "granted";
    static final String REVOKED = "revoked";
    static final String RESIGN = "resign";

    private static final int MEMBERS = 5;

    private TakeoverNode() {}

    /**
     * Takes the node's name, the lease time in milliseconds, the {@link Agreement}, its database and its directory, and each
     * member as {@code name=host:port}.
     */
    public static void main(String... args) throws IOException, InterruptedException {
        Duration leaseTime = Duration.ofMillis(Long.parseLong(args[1]));
        Map<String, String> peers = new LinkedHashMap<>();
        for (int i = MEMBERS; i < args.length; i++) {
            String[] member = args[i].split("=", 2);
            peers.put(member[0], member[1]);
        }
        MeetingPlace place = new MeetingPlace(args[3], args[4]);
        PaxosLease node = PaxosLease.create(Agreement.valueOf(args[2]).options(args[0], peers, place, leaseTime));
        Announcer announcer = new Announcer();
        LeaderElection election = LeaderElection.builder(node, "benchmark").build(announcer);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            election.close();
            node.close();
        }));
        node.start();
        election.start();
        LocalCell.awaitReady(node);
        System.out.println(READY);
        obey(announcer);
        System.exit(0);
    }

    private static void obey(Announcer announcer) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            Leadership current = announcer.current;
            if (line.equals(RESIGN) && current != null) {
                current.resign();
            }
        }
    }

    private static final class Announcer implements LeaderCandidate {

        private volatile @Nullable Leadership current;

        @Override
        public void onGranted(Leadership leadership) {
            current = leadership;
            System.out.println(GRANTED);
        }

        @Override
        public void onRevoked(Leadership leadership) {
            current = null;
            System.out.println(REVOKED);
        }
    }
}
