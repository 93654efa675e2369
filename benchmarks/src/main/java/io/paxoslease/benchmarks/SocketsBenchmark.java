package io.paxoslease.benchmarks;

import io.netty.channel.epoll.Epoll;
import java.io.PrintStream;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A bare round trip over the JDK's sockets and over Linux' own, by turns: what a node saves with the latter. */
final class SocketsBenchmark {

    static final Map<String, Integer> DEFAULTS = Map.of("rounds", 10, "slice-ms", 2_000);

    private static final double P50 = 50;
    private static final double P99 = 99;
    private static final double MICRO = 1_000;

    private final PrintStream out = System.out;
    private final Latency latency;
    private final double[] cpuMicros;

    private SocketsBenchmark(String name, int rounds) {
        this.latency = new Latency(name, rounds);
        this.cpuMicros = new double[rounds];
    }

    static void run(Options options) throws InterruptedException {
        Machine.describe(System.out);
        if (!Epoll.isAvailable()) {
            System.out.println("Linux' own sockets do not load here: there is nothing to compare");
            return;
        }
        int rounds = options.get("rounds");
        long nanos = TimeUnit.MILLISECONDS.toNanos(options.get("slice-ms"));
        SocketsBenchmark nio = new SocketsBenchmark("nio", rounds);
        SocketsBenchmark epoll = new SocketsBenchmark("epoll", rounds);
        try (TcpRoundTrip overNio = new TcpRoundTrip(false);
                TcpRoundTrip overEpoll = new TcpRoundTrip(true)) {
            nio.round(overNio, 0, 2 * nanos);
            epoll.round(overEpoll, 0, 2 * nanos);
            for (int round = 0; round < rounds; round++) {
                nio.round(overNio, round, nanos);
                epoll.round(overEpoll, round, nanos);
            }
        }
        System.out.printf(
                "%d rounds of %d ms, round trips from the caller's thread%n%n", rounds, options.get("slice-ms"));
        System.out.printf("%-7s |%9s %9s |%19s%n", "sockets", "p50 us", "p99 us", "cpu us a round trip");
        nio.print();
        epoll.print();
        System.out.printf("load average %s%n", Machine.load());
    }

    private void round(TcpRoundTrip tcp, int round, long nanos) throws InterruptedException {
        latency.round(round).reset();
        long cpu = Machine.cpuNanos();
        long begin = System.nanoTime();
        for (long now = begin; now - begin < nanos; ) {
            tcp.fromCaller();
            long after = System.nanoTime();
            latency.round(round).recordValue(after - now);
            now = after;
        }
        cpuMicros[round] =
                (Machine.cpuNanos() - cpu) / MICRO / latency.round(round).getTotalCount();
    }

    private void print() {
        out.printf(
                Locale.ROOT,
                "%-7s |%s |%19.1f%n",
                latency.name(),
                Latency.cell(latency.medianMicros(P50), latency.medianMicros(P99)),
                Latency.median(cpuMicros));
    }
}
