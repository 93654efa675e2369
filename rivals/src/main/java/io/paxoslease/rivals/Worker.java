package io.paxoslease.rivals;

import io.paxoslease.rivals.contenders.Contenders;
import io.paxoslease.rivals.workloads.Contended;
import io.paxoslease.rivals.workloads.Crowd;
import io.paxoslease.rivals.workloads.Held;
import io.paxoslease.rivals.workloads.OwnKeys;
import io.paxoslease.rivals.workloads.Uncontended;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;

/**
 * The main class of a process with clients of one contender. Reads commands from its standard input, answers with lines of
 * {@link #READY}, {@link #RESULT}, {@link #GRANTED} and {@link #ERROR}, and ends with its standard input.
 */
public final class Worker {

    /** The clients can be used. */
    public static final String READY = "ready";
    /** The figures of a command follow, as {@code name=value}. */
    public static final String RESULT = "result";
    /** A client leads; the reading of the monotonic clock follows. */
    public static final String GRANTED = "granted";
    /** A leadership is about to be given up; the reading of the monotonic clock follows. */
    public static final String RESIGNING = "resigning";
    /** What went wrong. */
    public static final String ERROR = "error";

    private static final String ROLE = "leader";

    private final PrintStream out;
    private final List<Client> clients;
    private final Crowd crowd;
    private final ExecutorService candidate = Executors.newSingleThreadExecutor();

    private Worker(PrintStream out, List<Client> clients, Crowd crowd) {
        this.out = out;
        this.clients = clients;
        this.crowd = crowd;
    }

    /** Takes the contender's name, the indexes of the clients to begin with, the tuning, whether locks are held long, and the addresses. */
    public static void main(String... args) throws Exception {
        // What libraries print must not get between the answers.
        PrintStream out = System.out;
        System.setOut(System.err);
        List<String> addresses = args.length < 5 || args[4].isEmpty() ? List.of() : List.of(args[4].split(",", -1));
        Site site = new Site(addresses, Tuning.valueOf(args[2]), Boolean.parseBoolean(args[3]));
        Contender contender = Contenders.of(args[0]);
        List<Client> clients = new ArrayList<>();
        try {
            for (String index : args[1].isEmpty() ? new String[0] : args[1].split(",", -1)) {
                clients.add(contender.client(site, Integer.parseInt(index)));
            }
            for (Client client : clients) {
                client.awaitReady();
            }
            out.println(READY);
            new Worker(out, clients, new Crowd(index -> contender.client(site, index))).obey();
        } catch (Exception e) {
            e.printStackTrace();
            out.printf("%s %s%n", ERROR, e);
        }
        // Servers see the socket close; what the contender does on a close is no part of any figure.
        Runtime.getRuntime().halt(0);
    }

    private void obey() throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ", -1);
            long[] numbers =
                    Arrays.stream(words).skip(1).mapToLong(Long::parseLong).toArray();
            obey(words[0], numbers);
        }
    }

    private void obey(String command, long[] numbers) throws Exception {
        switch (command) {
            case "uncontended" -> answer(Uncontended.run(clients.get(0), numbers[0], numbers[1]));
            case "own-keys" -> answer(OwnKeys.run(clients.get(0), numbers[0], numbers[1]));
            case "contended" -> answer(Contended.run(clients, numbers[0], numbers[1]));
            case "hold" -> answer(new Held(clients.get(0)).hold((int) numbers[0]));
            case "open" -> answer(crowd.open((int) numbers[0]));
            case "lock-each" -> answer(crowd.lockEach());
            case "stand" -> candidate.execute(this::stand);
            case "resign" -> candidate.execute(this::resign);
            default -> throw new IOException("Unknown command " + command);
        }
    }

    private void answer(Map<String, Double> figures) {
        out.println(figures.entrySet().stream()
                .map(figure -> figure.getKey() + "=" + figure.getValue())
                .collect(Collectors.joining(" ", RESULT + " ", "")));
    }

    private void stand() {
        try {
            clients.get(0).stand(ROLE, () -> out.printf("%s %d%n", GRANTED, System.nanoTime()));
        } catch (Exception e) {
            fail(e);
        }
    }

    private void resign() {
        try {
            long now = System.nanoTime();
            clients.get(0).resign(ROLE);
            out.printf("%s %d%n", RESIGNING, now);
        } catch (Exception e) {
            fail(e);
        }
    }

    private void fail(Exception e) {
        e.printStackTrace();
        out.printf("%s %s%n", ERROR, e);
    }
}
