package io.paxoslease.rivals.contenders;

import io.netty.channel.Channel;
import io.paxoslease.benchmarks.TcpRoundTrip;
import io.paxoslease.rivals.Backend;
import io.paxoslease.rivals.Client;
import io.paxoslease.rivals.Contender;
import io.paxoslease.rivals.Mutex;
import io.paxoslease.rivals.Site;
import io.paxoslease.rivals.Workload;
import io.paxoslease.rivals.backends.NoServers;
import java.util.EnumSet;
import java.util.Set;

/** The floor: one round trip, and no lock at all. */
final class TcpFloor implements Contender {

    @Override
    public String name() {
        return Contenders.FLOOR;
    }

    @Override
    public String title() {
        return "(floor) one TCP round trip, no lock";
    }

    @Override
    public String settings() {
        return Contender.jar(Channel.class) + ", " + TcpRoundTrip.sockets()
                + ", 64 bytes to an echo and back to the calling thread, TCP_NODELAY";
    }

    @Override
    public Backend backend() {
        return new NoServers();
    }

    @Override
    public Set<Workload> workloads() {
        return EnumSet.of(Workload.UNCONTENDED);
    }

    @Override
    public Client client(Site site, int index) {
        return new Pinger(new TcpRoundTrip());
    }

    private record Pinger(TcpRoundTrip echo) implements Client {

        @Override
        public Mutex mutex(String key) {
            return new Mutex() {
                @Override
                public void lock() throws InterruptedException {
                    echo.fromCaller();
                }

                @Override
                public void unlock() {
                    // Nothing was locked.
                }
            };
        }

        @Override
        public void close() {
            echo.close();
        }
    }
}
