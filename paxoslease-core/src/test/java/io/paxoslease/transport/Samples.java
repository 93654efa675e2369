package io.paxoslease.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.Ballot;
import io.paxoslease.protocol.paxos.Candidate;
import io.paxoslease.protocol.paxos.PaxosMessage.Accepted;
import io.paxoslease.protocol.paxos.PaxosMessage.AskStanding;
import io.paxoslease.protocol.paxos.PaxosMessage.Extend;
import io.paxoslease.protocol.paxos.PaxosMessage.Extended;
import io.paxoslease.protocol.paxos.PaxosMessage.Extension;
import io.paxoslease.protocol.paxos.PaxosMessage.Held;
import io.paxoslease.protocol.paxos.PaxosMessage.InMode;
import io.paxoslease.protocol.paxos.PaxosMessage.InUse;
import io.paxoslease.protocol.paxos.PaxosMessage.Nominate;
import io.paxoslease.protocol.paxos.PaxosMessage.Nominated;
import io.paxoslease.protocol.paxos.PaxosMessage.Open;
import io.paxoslease.protocol.paxos.PaxosMessage.Prepare;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import io.paxoslease.protocol.paxos.PaxosMessage.QueueMode;
import io.paxoslease.protocol.paxos.PaxosMessage.Refusal;
import io.paxoslease.protocol.paxos.PaxosMessage.Refused;
import io.paxoslease.protocol.paxos.PaxosMessage.Release;
import io.paxoslease.protocol.paxos.PaxosMessage.ReleaseTo;
import io.paxoslease.protocol.paxos.PaxosMessage.Released;
import io.paxoslease.protocol.paxos.PaxosMessage.Stale;
import io.paxoslease.protocol.paxos.PaxosMessage.Standing;
import io.paxoslease.protocol.paxos.PaxosMessage.StillInUse;
import io.paxoslease.protocol.paxos.PaxosMessage.UnknownBatch;
import io.paxoslease.protocol.paxos.PaxosMessage.Wanted;
import io.paxoslease.protocol.registers.MaxRegisterMessage.Entry;
import io.paxoslease.protocol.registers.MaxRegisterMessage.KnownRegisters;
import io.paxoslease.protocol.registers.MaxRegisterMessage.RaiseRegister;
import io.paxoslease.protocol.registers.MaxRegisterMessage.ReadRegister;
import io.paxoslease.protocol.registers.MaxRegisterMessage.RegisterValue;
import io.paxoslease.protocol.registers.RegisterMode;
import io.paxoslease.protocol.watch.WatchMessage.Change;
import io.paxoslease.protocol.watch.WatchMessage.Changes;
import io.paxoslease.protocol.watch.WatchMessage.Unwatch;
import io.paxoslease.protocol.watch.WatchMessage.Watch;
import io.paxoslease.protocol.watch.WatchedRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.stream.IntStream;

/** Messages of every type with values at their bounds. */
final class Samples {

    /** 255 bytes of UTF-8, of one to four bytes each. */
    static final String LONGEST_NAME = "x" + "é".repeat(2) + "€".repeat(2) + "😀".repeat(61);

    static final NodeId LONGEST_ID = new NodeId("é".repeat(64));

    private static final Incarnation ONES = new Incarnation(-1, -1);
    private static final Incarnation EDGES = new Incarnation(Long.MIN_VALUE, Long.MAX_VALUE);

    private Samples() {}

    static List<Message> everyType() {
        List<Message> all = new ArrayList<>();
        all.addAll(everyType("r", new Ballot(1, new Incarnation(2, 3)), 4, new NodeId("n")));
        all.addAll(everyType("", new Ballot(0, new Incarnation(0, 0)), 0, new NodeId("n")));
        all.addAll(everyType(LONGEST_NAME, new Ballot(Long.MAX_VALUE, ONES), Long.MAX_VALUE, LONGEST_ID));
        all.addAll(everyType("\u0000\n", new Ballot(Long.MAX_VALUE, EDGES), Long.MIN_VALUE, LONGEST_ID));
        all.addAll(ofWatches("role:r", new Incarnation(2, 3), 4, new NodeId("n"), ""));
        all.addAll(ofWatches("", new Incarnation(0, 0), 0, new NodeId("n"), "x"));
        all.addAll(ofWatches(LONGEST_NAME, EDGES, Long.MAX_VALUE, LONGEST_ID, LONGEST_NAME));
        all.addAll(ofRegisters("r", 0));
        all.addAll(ofRegisters(LONGEST_NAME, Long.MAX_VALUE));
        all.addAll(ofRegisters("\u0000\n", Long.MIN_VALUE));
        return all;
    }

    private static List<Message> everyType(String resource, Ballot ballot, long number, NodeId node) {
        long amount = Math.max(0, number);
        return List.of(
                new Prepare(resource, ballot, number),
                new Propose(resource, ballot, amount, number),
                new Propose(resource, ballot, amount, number, QueueMode.ASK_HOLDER, 0),
                new Propose(resource, ballot, amount, number, QueueMode.QUEUE, amount),
                new Propose(resource, ballot, amount, number, QueueMode.QUEUE, amount, amount),
                new Propose(resource, ballot, amount, number).withNote("n"),
                new Propose(resource, ballot, amount, number, QueueMode.QUEUE, amount, amount).withNote(LONGEST_NAME),
                new InMode(3, number, new Propose(resource, ballot, amount, number).withNote("\u0000\n")),
                new Extend(ballot.incarnation(), number, amount, amount, List.of()),
                new Extend(ballot.incarnation(), number, amount, 0, extensions(resource, ballot.counter(), 1)),
                new Extend(ballot.incarnation(), number, amount, amount, extensions(resource, ballot.counter(), 64)),
                new Extend(ballot.incarnation(), number, amount, amount, extensions("r", ballot.counter(), 512)),
                new Release(resource, ballot.incarnation(), ballot.counter()),
                new InMode(0, 0, new Prepare(resource, ballot, number)),
                new InMode(3, number, new Propose(resource, ballot, amount, number)),
                new InMode(
                        Integer.MAX_VALUE,
                        Long.MIN_VALUE,
                        new Extend(ballot.incarnation(), number, amount, amount, List.of())),
                new AskStanding(number),
                new StillInUse(resource, ballot.incarnation()),
                new Open(resource, ballot, number),
                new Accepted(resource, ballot, number),
                new Accepted(resource, ballot, number, true),
                new Held(resource, ballot, number, ballot, node, amount, 0, false),
                new Held(resource, ballot, number, ballot, node, amount, amount, true),
                new Held(resource, ballot, number, ballot, node, amount, amount, false, Math.max(1, amount), ""),
                new Held(resource, ballot, number, ballot, node, amount, amount, true).withNote("n"),
                new Held(
                        resource,
                        ballot,
                        number,
                        ballot,
                        node,
                        amount,
                        amount,
                        false,
                        Math.max(1, amount),
                        LONGEST_NAME),
                new InUse(resource, ballot, number),
                new Stale(resource, ballot, number, ballot.counter()),
                new Refused(resource, ballot, number, Refusal.TOO_LONG, amount),
                new Refused(resource, ballot, number, Refusal.TOO_FAR_AHEAD, amount),
                new Refused(resource, ballot, number, Refusal.TOO_MANY, amount),
                new Refused(resource, ballot, number, Refusal.OTHER_GENERATION, amount),
                new Standing(number, ballot.incarnation(), second(), 1),
                new Standing(number, ballot.incarnation(), longest(), Integer.MAX_VALUE),
                new Extended(ballot.incarnation(), number, List.of(), List.of()),
                new Extended(ballot.incarnation(), number, positions(512), List.of()),
                new Extended(ballot.incarnation(), number, List.of(0xFFFF), positions(512)),
                new UnknownBatch(ballot.incarnation(), number),
                new Released(resource, 0),
                new Released(resource, 0xFFFF),
                new Wanted(resource, ballot.incarnation(), ballot.counter(), 0, false),
                new Wanted(resource, ballot.incarnation(), ballot.counter(), amount, true, node),
                new Nominate(resource, ballot.incarnation(), ballot.counter(), number, null),
                new Nominate(resource, ballot.incarnation(), ballot.counter(), number, node),
                new ReleaseTo(new Release(resource, ballot.incarnation(), ballot.counter()), node),
                new Nominated(resource, number, List.of()),
                new Nominated(
                        resource, number, Collections.nCopies(Nominated.MOST, new Candidate(node, amount, true))));
    }

    private static List<Message> ofRegisters(String register, long number) {
        long value = Math.max(0, number);
        return List.of(
                new RaiseRegister(number, register, value),
                new RaiseRegister(number, register, value, new RegisterMode(3, number)),
                new ReadRegister(number, register),
                new ReadRegister(number, register, new RegisterMode(4, number)),
                new KnownRegisters(List.of()),
                new KnownRegisters(Collections.nCopies(KnownRegisters.MOST, new Entry(register, value))),
                new RegisterValue(number, OptionalLong.empty()),
                new RegisterValue(number, OptionalLong.of(value)));
    }

    private static List<Message> ofWatches(
            String name, Incarnation incarnation, long version, NodeId node, String note) {
        Change held = new Change(name, new WatchedRecord(node, incarnation, version, note));
        return List.of(
                new Watch(name, incarnation, version, false),
                new Watch(name, incarnation, version, true),
                new Unwatch(name),
                new Changes(name, incarnation, 0, version, true, false, List.of()),
                new Changes(name, incarnation, version, version, false, true, List.of(new Change(name, null))),
                new Changes(name, incarnation, 0, version, true, true, Collections.nCopies(Changes.MOST, held)));
    }

    static List<Extension> extensions(String resource, long counter, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> new Extension(resource, counter))
                .toList();
    }

    static List<Integer> positions(int count) {
        return IntStream.range(0, count).boxed().toList();
    }

    private static List<NodeId> longestList() {
        return IntStream.range(0, 63)
                .mapToObj(i -> new NodeId("%03d".formatted(i) + "x".repeat(125)))
                .toList();
    }

    /** It has as many members, with names as long, as there can be, before and after. */
    static Generation longest() {
        MemberList list = new MemberList(longestList(), Duration.ofHours(24), 0.5);
        return new Generation(Integer.MAX_VALUE, list, list);
    }

    /** One of two members is replaced, and the settings change. */
    static Generation second() {
        return new Generation(
                2,
                new MemberList(List.of(new NodeId("a"), new NodeId("c")), Duration.ofSeconds(5), 0.1),
                new MemberList(List.of(new NodeId("a"), new NodeId("b")), Duration.ofSeconds(1), 0.2));
    }

    static Hello secondHello() {
        CellConfig config = new CellConfig("cell", second(), null);
        return new Hello(config, new NodeId("a"), new NodeId("c"), new Incarnation(1, 2), Versions.OURS);
    }

    static Hello longestHello() {
        List<NodeId> members = longestList();
        CellConfig config = new CellConfig("c".repeat(128), longest(), null);
        return new Hello(config, members.get(0), members.get(62), ONES, Versions.OURS);
    }

    static Hello plainHello() {
        CellConfig config =
                new CellConfig("cell", List.of(new NodeId("a"), new NodeId("b")), Duration.ofSeconds(5), 0.1);
        return new Hello(config, new NodeId("a"), new NodeId("b"), new Incarnation(1, 2), Versions.OURS);
    }

    /** What a text about that setting says of how to change it. */
    static String marks(String setting) {
        return (" (to change them while the cell serves, set on every node generation: 2, %s to the new value"
                        + " and previous%s to the old one)")
                .formatted(setting, setting.substring(0, 1).toUpperCase(Locale.ROOT) + setting.substring(1));
    }

    static byte[] encoded(Message message) {
        ByteBuf out = Unpooled.buffer();
        MessageCodec.encode(out, message);
        return bytes(out);
    }

    static byte[] bytes(ByteBuf buffer) {
        byte[] bytes = new byte[buffer.readableBytes()];
        buffer.readBytes(bytes);
        return bytes;
    }
}
