package io.paxoslease.benchmarks;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.Ballot;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.protocol.registers.MaxRegisterMessage;
import io.paxoslease.transport.CellConfig;
import io.paxoslease.transport.Frames;
import io.paxoslease.transport.Hello;
import io.paxoslease.transport.Versions;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Clients that write as fast as each member reads, one kind of message, and read nothing but what they must. They run in a process of their
 * own with the lowest priority: on one machine they would otherwise take from the members the processor that attackers elsewhere do not have.
 * The process answers each line of its standard input with the bytes that were written, and ends with it.
 */
public final class Flood {

    private static final int LEASE_MILLIS = 3_000;
    private static final int IN_A_CHUNK = 512;
    private static final int EXTENSIONS = 512;
    private static final int LOWEST_PRIORITY = 19;
    private static final int MEMBERS = 2;

    /** What is sent. */
    enum Kind {
        NOTHING,
        ASK_STANDING,
        STILL_IN_USE,
        PING,
        EXTEND,
        EXTEND_BY_NUMBER,
        PREPARE,
        PROPOSE,
        RELEASE,
        RAISE,
        READ_REGISTER,
        KNOWN_REGISTERS,
        ACCEPTED,
        STANDING,
        CONTACT,
        HELLO
    }

    private final Kind kind;
    private final CellConfig config;
    private final AtomicLong bytes = new AtomicLong();

    private Flood(Kind kind, CellConfig config) {
        this.kind = kind;
        this.config = config;
    }

    /** Begins at once. */
    static MeasuredProcess launch(Kind kind, Map<String, String> members, int attackers) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(kind.name(), Integer.toString(attackers)));
        members.forEach((name, address) -> arguments.add(name + "=" + address));
        return MeasuredProcess.launch(
                List.of("nice", "-n", Integer.toString(LOWEST_PRIORITY)), Flood.class, "-Xmx256m", arguments);
    }

    /** Takes the kind of message, how many attackers each member has, and each member as {@code name=host:port}. */
    public static void main(String... args) throws IOException {
        Map<String, String> members = MeasuredNode.members(args, MEMBERS);
        PaxosLeaseOptions like =
                MeasuredProcess.options(members.keySet().iterator().next(), members, null);
        Flood flood = new Flood(
                Kind.valueOf(args[0]),
                new CellConfig(
                        like.cell(),
                        members.keySet().stream().map(NodeId::new).toList(),
                        like.maxLeaseTime(),
                        like.clockDrift()));
        flood.begin(members, Integer.parseInt(args[1]));
        MeasuredProcess.answer(flood.bytes::get);
    }

    private void begin(Map<String, String> members, int attackers) {
        for (int i = 0; i < (kind == Kind.NOTHING ? 0 : attackers); i++) {
            int number = i;
            members.forEach((member, address) -> {
                int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
                Thread thread = new Thread(() -> attack(number, member, port), "attacker-" + number + "-" + member);
                thread.setDaemon(true);
                thread.start();
            });
        }
    }

    private void attack(int number, String member, int port) {
        while (true) {
            try (Socket socket = new Socket(
                    InetAddress.getLoopbackAddress(), port, InetAddress.getByName("127.0.0." + (number + 2)), 0)) {
                socket.setTcpNoDelay(true);
                if (kind == Kind.CONTACT || kind == Kind.HELLO) {
                    write(socket, frame(out -> Frames.writeHello(out, type(), hello(number, member))));
                    socket.setSoTimeout(LEASE_MILLIS);
                    int ignored = socket.getInputStream().read();
                    socket.setSoLinger(true, 0);
                } else {
                    flood(socket, number, member);
                }
            } catch (IOException closed) {
                rest();
            }
        }
    }

    private int type() {
        return kind == Kind.CONTACT ? Frames.CONTACT : Frames.HELLO;
    }

    private static void rest() {
        try {
            TimeUnit.MILLISECONDS.sleep(1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Hello hello(int number, String member) {
        return new Hello(
                config,
                new NodeId("attacker-" + number),
                new NodeId(member),
                new Incarnation(number, 1),
                Versions.OURS,
                Hello.Role.CLIENT,
                "flood");
    }

    private void flood(Socket socket, int number, String member) throws IOException {
        write(socket, frame(out -> Frames.writeHello(out, Frames.HELLO, hello(number, member))));
        Thread reader = new Thread(() -> readAll(socket), "reader");
        reader.setDaemon(true);
        reader.start();
        ThreadLocalRandom random = ThreadLocalRandom.current();
        Incarnation incarnation = new Incarnation(number, 1);
        if (kind == Kind.EXTEND_BY_NUMBER) {
            prepareLists(socket, incarnation);
        }
        byte[] same = isAlwaysTheSame() ? chunk(random, incarnation) : null;
        while (true) {
            write(socket, same == null ? chunk(random, incarnation) : same);
        }
    }

    /** Then it is made once. */
    private boolean isAlwaysTheSame() {
        return kind == Kind.ASK_STANDING || kind == Kind.STANDING || kind == Kind.PING || kind == Kind.EXTEND_BY_NUMBER;
    }

    private void prepareLists(Socket socket, Incarnation incarnation) throws IOException {
        long counter = System.currentTimeMillis() * 1_000;
        List<Message> proposals = new ArrayList<>();
        List<PaxosMessage.Extension> extensions = new ArrayList<>();
        for (int i = 0; i < EXTENSIONS; i++) {
            String name = incarnation.high() + "-" + i;
            proposals.add(new PaxosMessage.Propose(
                    name, new Ballot(counter, incarnation), TimeUnit.MILLISECONDS.toNanos(LEASE_MILLIS), 1));
            extensions.add(new PaxosMessage.Extension(name, counter));
        }
        write(socket, frames(proposals));
        write(socket, frames(List.of(extend(incarnation, 1, extensions))));
    }

    private static PaxosMessage.Extend extend(
            Incarnation incarnation, long batchId, List<PaxosMessage.Extension> extensions) {
        return new PaxosMessage.Extend(
                incarnation, 1, TimeUnit.MILLISECONDS.toNanos(LEASE_MILLIS), batchId, extensions);
    }

    private byte[] chunk(ThreadLocalRandom random, Incarnation incarnation) {
        if (kind == Kind.PING) {
            return frame(out -> {
                for (int i = 0; i < IN_A_CHUNK; i++) {
                    Frames.writeEmpty(out, Frames.PING);
                }
            });
        }
        List<Message> all = new ArrayList<>();
        int count = kind == Kind.EXTEND ? 1 : IN_A_CHUNK;
        for (int i = 0; i < count; i++) {
            all.add(message(random, incarnation));
        }
        return frames(all);
    }

    private Message message(ThreadLocalRandom random, Incarnation incarnation) {
        String name = "x" + random.nextInt(100_000);
        Ballot ballot = new Ballot(System.currentTimeMillis() * 1_000, incarnation);
        return switch (kind) {
            case ASK_STANDING -> new PaxosMessage.AskStanding(1);
            case STILL_IN_USE -> new PaxosMessage.StillInUse(name, incarnation);
            case EXTEND -> extend(incarnation, PaxosMessage.Extend.UNNUMBERED, unknown(name));
            case EXTEND_BY_NUMBER -> extend(incarnation, 1, List.of());
            case PREPARE -> new PaxosMessage.Prepare(name, ballot, 1);
            case PROPOSE -> new PaxosMessage.Propose(name, ballot, TimeUnit.MILLISECONDS.toNanos(LEASE_MILLIS), 1);
            case RELEASE -> new PaxosMessage.Release(name, incarnation, ballot.counter());
            case RAISE -> new MaxRegisterMessage.RaiseRegister(1, name, 1);
            case READ_REGISTER -> new MaxRegisterMessage.ReadRegister(1, name);
            case KNOWN_REGISTERS ->
                new MaxRegisterMessage.KnownRegisters(List.of(new MaxRegisterMessage.Entry(name, 1)));
            case ACCEPTED -> new PaxosMessage.Accepted(name, ballot, 1);
            case STANDING -> new PaxosMessage.Standing(1, incarnation, config.generation(), config.sealed());
            case NOTHING, PING, CONTACT, HELLO -> throw new IllegalStateException();
        };
    }

    private static List<PaxosMessage.Extension> unknown(String name) {
        List<PaxosMessage.Extension> extensions = new ArrayList<>();
        for (int i = 0; i < EXTENSIONS; i++) {
            extensions.add(new PaxosMessage.Extension(name + "-" + i, 1));
        }
        return extensions;
    }

    private static byte[] frames(List<Message> all) {
        return frame(out -> {
            for (int next = 0; next < all.size(); ) {
                next = Frames.writeMessages(out, all, next);
            }
        });
    }

    private static byte[] frame(Consumer<ByteBuf> writer) {
        ByteBuf out = Unpooled.buffer();
        writer.accept(out);
        byte[] all = new byte[out.readableBytes()];
        out.readBytes(all);
        return all;
    }

    private void write(Socket socket, byte[] what) throws IOException {
        OutputStream out = socket.getOutputStream();
        out.write(what);
        bytes.addAndGet(what.length);
    }

    private static void readAll(Socket socket) {
        byte[] buffer = new byte[65_536];
        try (InputStream in = socket.getInputStream()) {
            while (in.read(buffer) >= 0) {
                // It is not looked at.
            }
        } catch (IOException closed) {
            // The attack has ended.
        }
    }
}
