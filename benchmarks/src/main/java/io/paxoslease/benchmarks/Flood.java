package io.paxoslease.benchmarks;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
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

/** Clients that write as fast as each member reads, one kind of message, and read nothing but what they must. Threads of its own. */
final class Flood implements AutoCloseable {

    private static final int LEASE_MILLIS = 3_000;
    private static final int IN_A_CHUNK = 512;
    private static final int EXTENSIONS = 512;

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
    private final AtomicLong messages = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean over;

    Flood(Kind kind, CellConfig config, Map<String, String> members, int attackers) {
        this.kind = kind;
        this.config = config;
        for (int i = 0; i < (kind == Kind.NOTHING ? 0 : attackers); i++) {
            int number = i;
            members.forEach((member, address) -> {
                int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
                Thread thread = new Thread(() -> attack(number, member, port), "attacker-" + number + "-" + member);
                thread.setDaemon(true);
                threads.add(thread);
            });
        }
        threads.forEach(Thread::start);
    }

    long messages() {
        return messages.get();
    }

    long bytes() {
        return bytes.get();
    }

    private void attack(int number, String member, int port) {
        while (!over) {
            try (Socket socket = new Socket(
                    InetAddress.getLoopbackAddress(), port, InetAddress.getByName("127.0.0." + (number + 2)), 0)) {
                socket.setTcpNoDelay(true);
                if (kind == Kind.CONTACT || kind == Kind.HELLO) {
                    write(socket, frame(out -> Frames.writeHello(out, type(), hello(number, member))), 1);
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
                new Versions(2, Versions.OURS.highest()),
                Hello.Role.CLIENT,
                "flood");
    }

    private void flood(Socket socket, int number, String member) throws IOException {
        write(socket, frame(out -> Frames.writeHello(out, Frames.HELLO, hello(number, member))), 0);
        Thread reader = new Thread(() -> readAll(socket), "reader");
        reader.setDaemon(true);
        reader.start();
        ThreadLocalRandom random = ThreadLocalRandom.current();
        Incarnation incarnation = new Incarnation(number, 1);
        if (kind == Kind.EXTEND_BY_NUMBER) {
            prepareLists(socket, incarnation);
        }
        byte[] same = isAlwaysTheSame() ? chunk(random, incarnation) : null;
        while (!over) {
            write(socket, same == null ? chunk(random, incarnation) : same, IN_A_CHUNK);
        }
    }

    /** Then it is made once: who makes messages takes time from the members, on one machine. */
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
        write(socket, frames(proposals), 0);
        write(socket, frames(List.of(extend(incarnation, 1, extensions))), 0);
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
        if (count == 1) {
            messages.addAndGet(1 - IN_A_CHUNK);
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

    private void write(Socket socket, byte[] what, int count) throws IOException {
        OutputStream out = socket.getOutputStream();
        out.write(what);
        messages.addAndGet(count);
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

    @Override
    public void close() {
        over = true;
        try {
            for (Thread thread : threads) {
                thread.join(1_000);
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }
}
