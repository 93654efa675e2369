package io.paxoslease.benchmarks;

import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.flease.FleaseOptions;
import io.paxoslease.storage.StorageOptions;
import io.paxoslease.store.DirectoryRegister;
import io.paxoslease.store.JdbcRegister;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.h2.jdbcx.JdbcConnectionPool;

/** What the nodes of a benchmark agree by. */
enum Agreement {
    PAXOSLEASE("PaxosLease") {
        @Override
        void set(PaxosLeaseOptions.Builder options, Map<String, String> peers, MeetingPlace place) {
            options.peers(peers);
        }
    },
    FLEASE("Flease") {
        @Override
        void set(PaxosLeaseOptions.Builder options, Map<String, String> peers, MeetingPlace place) {
            options.peers(peers).algorithm(FleaseOptions.builder().build());
        }
    },
    DATABASE("database, compare and set") {
        @Override
        void set(PaxosLeaseOptions.Builder options, Map<String, String> peers, MeetingPlace place) {
            JdbcConnectionPool pool = JdbcConnectionPool.create(place.database(), "sa", "");
            options.algorithm(StorageOptions.builder(new JdbcRegister(pool).withInitializedSchema())
                    .accessBound(ACCESS_BOUND)
                    .build());
        }
    },
    DIRECTORY("directory, read and write") {
        @Override
        void set(PaxosLeaseOptions.Builder options, Map<String, String> peers, MeetingPlace place) {
            options.algorithm(StorageOptions.builder(new DirectoryRegister(Path.of(place.directory()), true))
                    .accessBound(ACCESS_BOUND)
                    .build());
        }
    };

    /** Of stores on this machine, where every client is; the default is for stores over a network. */
    static final Duration ACCESS_BOUND = Duration.ofMillis(100);

    private final String title;

    Agreement(String title) {
        this.title = title;
    }

    abstract void set(PaxosLeaseOptions.Builder options, Map<String, String> peers, MeetingPlace place);

    /** Options of a node whose leases last at most so long. */
    PaxosLeaseOptions options(String node, Map<String, String> peers, MeetingPlace place, Duration leaseTime) {
        PaxosLeaseOptions.Builder options =
                PaxosLeaseOptions.builder(node).leaseTime(leaseTime).maxLeaseTime(leaseTime);
        set(options, peers, place);
        return options.build();
    }

    @Override
    public String toString() {
        return title;
    }
}
