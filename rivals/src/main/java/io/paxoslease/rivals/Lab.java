package io.paxoslease.rivals;

import io.paxoslease.benchmarks.Machine;
import io.paxoslease.rivals.backends.ProcessFacts;
import io.paxoslease.rivals.contenders.Contenders;
import io.paxoslease.rivals.report.Samples;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Puts contenders through one workload. One that fails is left out, with a word. */
final class Lab {

    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final long SETTLE_MILLIS = 2_000;
    private static final int LATER_WARM_UP_MILLIS = 500;
    private static final double MICROS_PER_MILLI = 1_000;

    private final RunOptions options;
    private final Workspace workspace;
    private final Set<String> said = new HashSet<>();

    Lab(RunOptions options, Workspace workspace) {
        this.options = options;
        this.workspace = workspace;
    }

    /** All figures of one workload. */
    Samples run(Workload workload) throws IOException, InterruptedException {
        Samples samples = new Samples();
        List<Contender> contenders = contenders(workload);
        switch (workload) {
            case UNCONTENDED, OWN_KEYS, CONTENDED -> rounds(workload, contenders, samples);
            case FAIL_OVER -> new FailOver(options, workspace, samples).run(contenders);
            case IDLE -> each(workload, contenders, samples, this::idle);
            case MEMORY -> each(workload, contenders, samples, this::memory);
            case SESSIONS -> each(workload, contenders, samples, this::sessions);
        }
        return samples;
    }

    private List<Contender> contenders(Workload workload) {
        return Contenders.all().stream()
                .filter(each -> options.wants(each.name()))
                .filter(each -> each.workloads().contains(workload))
                .filter(this::isInstalled)
                .toList();
    }

    private boolean isInstalled(Contender contender) {
        String missing = contender.backend().missing().orElse("");
        if (!missing.isEmpty() && said.add(contender.name())) {
            say("%s is skipped: %s".formatted(contender.name(), missing));
        }
        return missing.isEmpty();
    }

    /** All contenders by turns, so that what disturbs one round disturbs all. */
    private void rounds(Workload workload, List<Contender> contenders, Samples samples)
            throws IOException, InterruptedException {
        List<Session> sessions = new ArrayList<>();
        try {
            for (Contender contender : contenders) {
                open(contender, workload, sessions);
            }
            for (int round = 1; round <= options.get("rounds"); round++) {
                say("%s, round %d".formatted(workload.word(), round));
                round(workload, round, sessions, samples);
            }
        } finally {
            sessions.forEach(Session::close);
        }
    }

    private void open(Contender contender, Workload workload, List<Session> sessions) throws InterruptedException {
        try {
            sessions.add(open(contender, workload));
        } catch (IOException e) {
            failed(contender, e);
        }
    }

    private Session open(Contender contender, Workload workload) throws IOException, InterruptedException {
        say("%s, %s starts".formatted(workload.word(), contender.name()));
        return Session.open(contender, workload, workspace.directory(contender.name()), options.get("heap-mb"));
    }

    private void round(Workload workload, int round, List<Session> sessions, Samples samples)
            throws InterruptedException {
        int warmUp = round == 1 ? options.get("warm-up-s") * 1_000 : LATER_WARM_UP_MILLIS;
        String command = "%s %d %d".formatted(workload.word(), warmUp, options.get("measure-s") * 1_000);
        for (Iterator<Session> each = sessions.iterator(); each.hasNext(); ) {
            Session session = each.next();
            try {
                samples.addAll(session.contender().name(), session.worker().ask(command, PATIENCE));
            } catch (IOException e) {
                failed(session.contender(), e);
                session.close();
                each.remove();
            }
        }
    }

    /** What one session is put through alone. */
    private interface Alone {
        void run(Session session, Samples samples) throws IOException, InterruptedException;
    }

    private void each(Workload workload, List<Contender> contenders, Samples samples, Alone alone)
            throws InterruptedException {
        for (Contender contender : contenders) {
            try (Session session = open(contender, workload)) {
                alone.run(session, samples);
            } catch (IOException e) {
                failed(contender, e);
            }
        }
    }

    private void idle(Session session, Samples samples) throws IOException, InterruptedException {
        // At least one renewal of everything, and whole renewals; as long without locks, for what a product does now
        // and then anyway.
        long renewal = session.contender().renewal(Tuning.DEFAULT).toMillis();
        long warmUp = options.get("idle-warm-up-s") * 1_000L;
        long window = options.get("idle-s") * 1_000L;
        long whole = renewal == 0 ? window : Math.max(1, Math.round((double) window / renewal)) * renewal;
        Thread.sleep(warmUp);
        double[] before = cpuMillisPerSecond(session, whole);
        session.worker().ask("hold " + options.get("held"), PATIENCE);
        // Here as above: what runs first, runs in code that is not compiled yet.
        Thread.sleep(warmUp);
        double[] after = cpuMillisPerSecond(session, whole);
        samples.addAll(
                session.contender().name(),
                Map.of("client-ms-per-s", after[0] - before[0], "servers-ms-per-s", after[1] - before[1]));
    }

    /** Of the client, and of the servers together. */
    private static double[] cpuMillisPerSecond(Session session, long millis) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        double[] before = cpuMillis(session);
        Thread.sleep(millis);
        double[] after = cpuMillis(session);
        double seconds = (System.nanoTime() - begin) / 1e9;
        return new double[] {(after[0] - before[0]) / seconds, (after[1] - before[1]) / seconds};
    }

    private static double[] cpuMillis(Session session) throws IOException {
        double servers = 0;
        for (long process : session.servers().processes()) {
            servers += ProcessFacts.cpuMillis(process);
        }
        return new double[] {ProcessFacts.cpuMillis(session.worker().pid()), servers};
    }

    private void memory(Session session, Samples samples) throws IOException, InterruptedException {
        int locks = options.get("locks");
        long client = ProcessFacts.liveBytes(session.worker().pid());
        long servers = session.servers().usedBytes();
        double seconds = session.worker().ask("hold " + locks, PATIENCE).getOrDefault("seconds", Double.NaN);
        Thread.sleep(SETTLE_MILLIS);
        double clientBytes = ProcessFacts.liveBytes(session.worker().pid()) - client;
        double serverBytes = session.servers().usedBytes() - servers;
        samples.addAll(
                session.contender().name(),
                Map.of(
                        "client-bytes",
                        clientBytes / locks,
                        "servers-bytes",
                        session.servers().processes().isEmpty() ? Double.NaN : serverBytes / locks,
                        "seconds",
                        seconds));
    }

    private void sessions(Session session, Samples samples) throws IOException, InterruptedException {
        int count = options.get("sessions");
        String name = session.contender().name();
        Cost before = cost(session);
        samples.add(name, "sessions", count);
        samples.addAll(name, session.worker().ask("open " + count, PATIENCE));
        Cost idle = cost(session);
        say("%s: %d sessions; load %s".formatted(name, count, Machine.load()));
        session.worker().ask("lock-each", PATIENCE);
        Cost holding = cost(session);
        say("%s: with a lock each; load %s".formatted(name, Machine.load()));
        samples.addAll(name, forEach("idle", idle, before, count));
        samples.addAll(name, forEach("holding", holding, before, count));
    }

    /** Of all sessions: processor time a second of the clients, of the servers, and bytes that the servers use. */
    private record Cost(double clientMillis, double serverMillis, double serverBytes) {}

    private Cost cost(Session session) throws IOException, InterruptedException {
        Thread.sleep(options.get("sessions-warm-up-s") * 1_000L);
        double[] millis = cpuMillisPerSecond(session, options.get("idle-s") * 1_000L);
        return new Cost(millis[0], millis[1], session.servers().usedBytes());
    }

    private static Map<String, Double> forEach(String state, Cost cost, Cost without, int count) {
        return Map.of(
                state + "-client-us-per-s",
                (cost.clientMillis - without.clientMillis) * MICROS_PER_MILLI / count,
                state + "-servers-us-per-s",
                (cost.serverMillis - without.serverMillis) * MICROS_PER_MILLI / count,
                state + "-servers-bytes",
                (cost.serverBytes - without.serverBytes) / count);
    }

    private static void failed(Contender contender, Exception e) {
        say("%s failed and is left out: %s".formatted(contender.name(), e.getMessage()));
    }

    static void say(String what) {
        System.err.println(what);
    }

    /** Where the figures of a workload are kept. */
    static Path file(Path results, Workload workload) {
        return results.resolve(workload.word() + ".csv");
    }
}
