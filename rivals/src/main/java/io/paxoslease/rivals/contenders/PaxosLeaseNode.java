package io.paxoslease.rivals.contenders;

import io.paxoslease.NodeMode;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.election.LeaderCandidate;
import io.paxoslease.election.LeaderElection;
import io.paxoslease.election.Leadership;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.monitor.PeerStatus;
import io.paxoslease.rivals.Client;
import io.paxoslease.rivals.Contender;
import io.paxoslease.rivals.Site;
import io.paxoslease.rivals.Tuning;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A member of a cell of three or a client of theirs, and its elections. */
abstract class PaxosLeaseNode implements Client {

    private static final String[] NAMES = {"a", "b", "c"};
    private static final Duration SHORT = Duration.ofSeconds(1);

    private final PaxosLease node;
    private @Nullable LeaderElection election;

    PaxosLeaseNode(Site site, int index) {
        boolean isMember = index < NAMES.length;
        PaxosLeaseOptions.Builder options = PaxosLeaseOptions.builder(isMember ? NAMES[index] : "client-" + index)
                .mode(isMember ? NodeMode.MEMBER : NodeMode.CLIENT);
        for (int i = 0; i < NAMES.length; i++) {
            options.peer(NAMES[i], site.addresses().get(i));
        }
        if (site.tuning() != Tuning.DEFAULT) {
            Duration time = leaseTime(site.tuning());
            options.leaseTime(time).maxLeaseTime(time);
        }
        node = PaxosLease.create(options.build());
        node.start();
    }

    static String settings(String more) {
        return "%s, three members in memory inside the application; lease time %d s, tuned %d s%s"
                .formatted(
                        Contender.jar(PaxosLease.class).replace("classes", "paxoslease-core"),
                        leaseTime(Tuning.DEFAULT).toSeconds(),
                        leaseTime(Tuning.TUNED).toSeconds(),
                        more);
    }

    static Duration leaseTime(Tuning tuning) {
        return tuning.time(PaxosLeaseOptions.DEFAULT_LEASE_TIME, SHORT);
    }

    PaxosLease node() {
        return node;
    }

    @Override
    public void awaitReady() throws InterruptedException {
        NodeStatus status = node.monitor().status();
        while (status.state() != NodeStatus.State.SERVING
                || !status.peers().stream().allMatch(PeerStatus::connected)) {
            Thread.sleep(5);
            status = node.monitor().status();
        }
    }

    @Override
    public void stand(String role, Runnable granted) {
        LeaderElection started = LeaderElection.builder(node, role).build(new Candidate(granted));
        election = started;
        started.start();
    }

    @Override
    public void resign(String role) {
        if (election != null) {
            election.close();
        }
    }

    @Override
    public void close() {
        node.close();
    }

    private record Candidate(Runnable granted) implements LeaderCandidate {

        @Override
        public void onGranted(Leadership leadership) {
            granted.run();
        }

        @Override
        public void onRevoked(Leadership leadership) {
            // Nothing to tidy up.
        }
    }
}
