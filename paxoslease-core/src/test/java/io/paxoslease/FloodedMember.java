package io.paxoslease;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.Ballot;
import io.paxoslease.protocol.paxos.PaxosMessage.Accepted;
import io.paxoslease.protocol.paxos.PaxosMessage.Extend;
import io.paxoslease.protocol.paxos.PaxosMessage.Extended;
import io.paxoslease.protocol.paxos.PaxosMessage.Extension;
import io.paxoslease.protocol.paxos.PaxosMessage.Prepare;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import io.paxoslease.protocol.paxos.PaxosMessage.Release;
import io.paxoslease.protocol.paxos.PaxosMessage.Reply;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.FreePorts;
import io.paxoslease.testing.RawConnection;
import io.paxoslease.testing.RawConnection.Frame;
import io.paxoslease.transport.CellConfig;
import io.paxoslease.transport.Frames;
import io.paxoslease.transport.Hello;
import io.paxoslease.transport.Versions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A member in a process of its own with a small heap, and clients that speak to it by hand. */
final class FloodedMember implements AutoCloseable {

    private static final int AT_ONCE = 200;
    private static final String READY = "serves";
    private static final String USED = "KiB used: ";

    /** What the clients send. */
    enum Attack {
        /** Releases of names that the member has never heard of. */
        RELEASE,
        /** Proposals of names of 255 bytes, each of an incarnation of its own. */
        PROPOSE,
        /** The same, prepared only. */
        PREPARE
    }

    private final int port;
    private final Duration longest;
    private final Process process;
    private final BufferedReader said;
    private final StringBuilder output = new StringBuilder();
    private final List<Client> attackers = new ArrayList<>();
    private final Client honest;

    private FloodedMember(int port, Duration longest, Process process) throws IOException {
        this.port = port;
        this.longest = longest;
        this.process = process;
        this.said = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        if (await(READY).isEmpty()) {
            throw new IOException("the member did not start: " + output);
        }
        this.honest = new Client("honest", 1);
        honest.takes("mine");
    }

    /** @param longest the longest lease, which is how long it takes to start */
    static FloodedMember start(int heapMegabytes, Duration longest) throws IOException {
        int port = FreePorts.next();
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Process process = new ProcessBuilder(
                        java,
                        "-Xmx" + heapMegabytes + "m",
                        "-XX:+UseSerialGC",
                        "-XX:+ExitOnOutOfMemoryError",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Member.class.getName(),
                        String.valueOf(port),
                        longest.toString())
                .redirectErrorStream(true)
                .start();
        return new FloodedMember(port, longest, process);
    }

    private String await(String word) throws IOException {
        for (String line = said.readLine(); line != null; line = said.readLine()) {
            output.append(line).append('\n');
            if (line.startsWith(word)) {
                return line;
            }
        }
        return "";
    }

    /** Each of so many clients sends so many messages, or what it can in that time, while the honest one renews its lease. */
    void attack(Attack kind, int clients, int messages, Duration most) throws IOException {
        long end = System.nanoTime() + most.toNanos();
        try {
            for (int i = 0; i < clients; i++) {
                attackers.add(new Client("z" + i, 100 + i));
            }
            for (int sent = 0; sent < messages && System.nanoTime() < end; sent += AT_ONCE) {
                for (Client attacker : attackers) {
                    attacker.sends(kind, AT_ONCE);
                }
                honest.renews("mine");
            }
        } catch (IOException gone) {
            output.append("while ").append(kind).append(": ").append(gone).append('\n');
        }
    }

    /** Whether the honest client, which asks for its lease again, is answered and gets it. */
    boolean survives() throws IOException {
        try {
            honest.renews("mine");
            return honest.takes("mine");
        } catch (IOException gone) {
            output.append("afterwards: ").append(gone).append('\n');
            return false;
        }
    }

    /** Of the member's heap, after a collection; negative: it is gone. */
    long usedKibibytes() throws IOException {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
        String line = await(USED);
        return line.isEmpty() ? -1 : Long.parseLong(line.substring(USED.length()));
    }

    String output() {
        return output.toString();
    }

    @Override
    public void close() throws IOException {
        for (Client each : attackers) {
            each.close();
        }
        honest.close();
        process.destroyForcibly();
    }

    /** A client of the cell, spoken by hand. What it is told is read where it is waited for, or else by a thread of its own. */
    private final class Client implements AutoCloseable {

        private final NodeId id;
        private final int number;
        private final RawConnection connection;
        private long counter;
        private long drawn;

        Client(String name, int number) throws IOException {
            this.id = new NodeId(name);
            this.number = number;
            this.connection = introduced();
            if (number >= 100) {
                Thread reader = new Thread(this::readAll, name);
                reader.setDaemon(true);
                reader.start();
            }
        }

        /** On a busy machine the handshake may take too long. */
        private RawConnection introduced() throws IOException {
            for (int i = 0; i < 5; i++) {
                RawConnection made = RawConnection.to(port);
                made.write(out -> Frames.writeHello(out, Frames.HELLO, hello()));
                if (made.read(Frames.WELCOME) != null) {
                    return made;
                }
                made.close();
            }
            throw new IOException("the member does not let " + id + " in: " + output);
        }

        private Hello hello() {
            List<NodeId> members = List.of(new NodeId("a"), new NodeId("b"), new NodeId("c"));
            return new Hello(
                    new CellConfig("shop", members, longest, PaxosLeaseOptions.DEFAULT_CLOCK_DRIFT),
                    id,
                    new NodeId("a"),
                    new Incarnation(number, number),
                    Versions.OURS,
                    Hello.Role.CLIENT,
                    "shop");
        }

        private void readAll() {
            try {
                connection.awaitClosed();
            } catch (IOException over) {
                output.append(id).append(": ").append(over).append('\n');
            }
        }

        private long lease() {
            return longest.toNanos();
        }

        private Incarnation own() {
            return new Incarnation(number, 7);
        }

        private void send(List<? extends Message> messages) throws IOException {
            connection.write(out -> {
                int next = 0;
                while (next < messages.size()) {
                    next = Frames.writeMessages(out, List.copyOf(messages), next);
                }
            });
        }

        private <T> @Nullable T answer(Class<T> kind) throws IOException {
            for (Frame frame = connection.read(Frames.MESSAGES);
                    frame != null;
                    frame = connection.read(Frames.MESSAGES)) {
                for (Message message : Frames.readMessages(frame.body())) {
                    if (kind.isInstance(message)) {
                        return kind.cast(message);
                    }
                }
            }
            throw new IOException("the member has closed the connection");
        }

        /** A counter that has waited for long may be stale. */
        boolean takes(String resource) throws IOException {
            for (int i = 0; i < 5; i++) {
                counter = System.currentTimeMillis() * 1_000;
                send(List.of(new Propose(resource, new Ballot(counter, own()), lease(), 1)));
                if (answer(Reply.class) instanceof Accepted) {
                    return true;
                }
            }
            return false;
        }

        boolean renews(String resource) throws IOException {
            send(List.of(new Extend(own(), 2, lease(), Extend.UNNUMBERED, List.of(new Extension(resource, counter)))));
            Extended answer = answer(Extended.class);
            return answer != null && answer.missing().isEmpty();
        }

        void sends(Attack kind, int count) throws IOException {
            List<Message> messages = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                messages.add(next(kind));
            }
            send(messages);
        }

        private Message next(Attack kind) {
            long wall = System.currentTimeMillis() * 1_000;
            drawn++;
            Incarnation other = new Incarnation(number, drawn);
            Ballot ballot = new Ballot(wall, other);
            String name = id.name() + "-" + drawn;
            String longName = name + "x".repeat(255 - name.length());
            return switch (kind) {
                case RELEASE -> new Release(longName, other, wall);
                case PROPOSE -> new Propose(longName, ballot, lease(), drawn);
                case PREPARE -> new Prepare(longName, ballot, drawn);
            };
        }

        @Override
        public void close() throws IOException {
            connection.close();
        }
    }

    /** The main class of the member's process. It says how much of its heap is in use each time that it is sent a line. */
    static final class Member {

        private Member() {}

        public static void main(String... args) throws Exception {
            try (PaxosLease node = PaxosLease.create(PaxosLeaseOptions.builder("a")
                    .cell("shop")
                    .peer("a", "127.0.0.1:" + args[0])
                    .peer("b", "127.0.0.1:1")
                    .peer("c", "127.0.0.1:2")
                    .leaseTime(Duration.ofSeconds(1))
                    .maxLeaseTime(Duration.parse(args[1]))
                    .maxClients(100)
                    .build())) {
                node.start();
                Eventually.until(
                        "the member serves", () -> node.monitor().status().quarantine() == null);
                System.out.println(READY);
                while (System.in.read() >= 0) {
                    System.gc();
                    Runtime heap = Runtime.getRuntime();
                    System.out.println(USED + (heap.totalMemory() - heap.freeMemory()) / 1_024);
                }
            }
        }
    }
}
