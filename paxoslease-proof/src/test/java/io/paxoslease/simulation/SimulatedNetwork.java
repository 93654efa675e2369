package io.paxoslease.simulation;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.paxoslease.node.flease.FleaseCodec;
import io.paxoslease.protocol.Message;
import io.paxoslease.transport.Frames;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** The links between the nodes, one for each direction. What it does to messages is decided by faults and by chance. */
final class SimulatedNetwork {

    private static final int FRAME_HEADER = Integer.BYTES + 1;

    private final Agenda agenda;
    private final Scenario scenario;
    private final SplittableRandom random;
    private final Statistics statistics;
    private final Receiver receiver;
    private final Link[][] links;
    private final List<Fault.Noise> noises = new ArrayList<>(2);
    private long longestNanos;

    /** Where messages come out. */
    interface Receiver {

        /** Takes what a life of the sender has sent. */
        void receive(int from, int life, int to, List<Message> messages);

        /** How often that node was started. */
        int lives(int node);
    }

    private static final class Link {
        private final ArrayDeque<Runnable> clogged = new ArrayDeque<>(0);
        private int cuts;
        private int clogs;
        private int connection;
        private long lastArrival;
    }

    SimulatedNetwork(
            Agenda agenda, Scenario scenario, SplittableRandom random, Statistics statistics, Receiver receiver) {
        this.agenda = agenda;
        this.scenario = scenario;
        this.random = random;
        this.statistics = statistics;
        this.receiver = receiver;
        this.longestNanos = scenario.linkNanos();
        this.links = new Link[scenario.nodes()][scenario.nodes()];
        for (Link[] row : links) {
            for (int i = 0; i < row.length; i++) {
                row[i] = new Link();
            }
        }
    }

    void send(int from, int to, List<Message> messages) {
        statistics.message();
        Link link = links[from][to];
        if (link.cuts > 0) {
            statistics.met(Situation.MESSAGE_CUT);
            return;
        }
        List<Message> travelling = scenario.encoded() ? recoded(messages) : messages;
        if (noises.isEmpty()) {
            carry(link, from, to, travelling, random.nextLong(longestNanos));
        } else if (travelling.size() > 1 && random.nextInt(3) == 0) {
            for (Message message : travelling) {
                disturb(link, from, to, List.of(message));
            }
        } else {
            disturb(link, from, to, travelling);
        }
    }

    private void disturb(Link link, int from, int to, List<Message> messages) {
        Fault.Noise noise = noises.get(random.nextInt(noises.size()));
        if (happens(noise.lost())) {
            statistics.met(Situation.MESSAGE_LOST);
            return;
        }
        int copies = 1;
        if (happens(noise.doubled())) {
            statistics.met(Situation.MESSAGE_DOUBLED);
            copies = 2;
        }
        for (; copies > 0; copies--) {
            long longest = happens(noise.delayed()) ? noise.longestDelay() + 1 : longestNanos;
            long delay = random.nextLong(longest);
            if (delay > longestNanos) {
                statistics.met(Situation.MESSAGE_DELAYED);
            }
            carry(link, from, to, messages, delay);
        }
    }

    private boolean happens(int percent) {
        return percent > 0 && random.nextInt(100) < percent;
    }

    private void carry(Link link, int from, int to, List<Message> messages, long delay) {
        long at = agenda.now() + delay;
        if (scenario.inOrder()) {
            at = Math.max(at, link.lastArrival);
            link.lastArrival = at;
        }
        int connection = link.connection;
        int lifeThere = receiver.lives(to);
        int lifeHere = receiver.lives(from);
        agenda.at(at, () -> {
            if (connection != link.connection) {
                statistics.met(Situation.CONNECTION_DROPPED);
            } else {
                noteLives(lifeHere != receiver.lives(from), lifeThere != receiver.lives(to));
                arrive(link, () -> receiver.receive(from, lifeHere, to, messages));
            }
        });
    }

    private void noteLives(boolean senderHasDied, boolean receiverIsAnother) {
        if (senderHasDied) {
            statistics.met(Situation.MESSAGES_OF_A_DEAD_PROCESS);
        }
        if (receiverIsAnother) {
            statistics.met(Situation.MESSAGES_AFTER_RESTART);
        }
    }

    private void arrive(Link link, Runnable arrival) {
        if (link.clogs > 0) {
            statistics.met(Situation.MESSAGE_CLOGGED);
            link.clogged.add(arrival);
        } else {
            arrival.run();
        }
    }

    private List<Message> recoded(List<Message> messages) {
        statistics.met(Situation.ENCODED);
        ByteBuf frame = Unpooled.buffer();
        List<Message> decoded = new ArrayList<>(messages.size());
        int next = 0;
        while (next < messages.size()) {
            frame.clear();
            next = Frames.writeMessages(frame, messages, next, FleaseCodec.INSTANCE);
            decoded.addAll(Frames.readMessages(frame.skipBytes(FRAME_HEADER), FleaseCodec.INSTANCE));
        }
        return decoded;
    }

    /** What is under way from and to the node is lost. */
    void dropConnections(int node) {
        for (int other = 0; other < links.length; other++) {
            drop(links[node][other]);
            drop(links[other][node]);
        }
    }

    private static void drop(Link link) {
        link.connection++;
        link.clogged.clear();
    }

    void partition(Fault.Partition partition, boolean begins) {
        for (int from = 0; from < links.length; from++) {
            for (int to = 0; to < links.length; to++) {
                boolean out = (partition.side() >> from & 1) == 1 && (partition.side() >> to & 1) == 0;
                boolean in = (partition.side() >> from & 1) == 0 && (partition.side() >> to & 1) == 1;
                if (out || (in && partition.bothWays())) {
                    links[from][to].cuts += begins ? 1 : -1;
                }
            }
        }
    }

    boolean isCut(int from, int to) {
        return links[from][to].cuts > 0;
    }

    void clog(Fault.Clog clog, boolean begins) {
        Link link = links[clog.from()][clog.to()];
        link.clogs += begins ? 1 : -1;
        while (link.clogs == 0 && !link.clogged.isEmpty()) {
            link.clogged.remove().run();
        }
    }

    void noise(Fault.Noise noise, boolean begins) {
        if (begins) {
            noises.add(noise);
        } else {
            noises.remove(noise);
        }
    }

    /** From now on messages arrive, and soon. */
    void heal(long longest) {
        longestNanos = longest;
    }
}
