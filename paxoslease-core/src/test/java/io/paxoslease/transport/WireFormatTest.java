package io.paxoslease.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
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
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The bytes of the wire format, which nodes of other releases write and read. When a test here fails, undo the change or add a version. */
class WireFormatTest {

    private static final String INCARNATION = " 0102030405060708 1112131415161718";
    private static final String BALLOT = " 0000000000000021" + INCARNATION;
    private static final String ATTEMPT = " 0000000000000043";
    private static final String HEAD = " 03 72c3a9" + BALLOT + ATTEMPT;

    private static final String LIST_NOW = " 000000012a05f200 3fb999999999999a 02 01 61 01 63";
    private static final String LIST_BEFORE = " 000000003b9aca00 3fc999999999999a 02 01 61 01 62";

    private static final Incarnation incarnation = new Incarnation(0x0102030405060708L, 0x1112131415161718L);
    private static final Ballot ballot = new Ballot(0x21, incarnation);
    private static final String RESOURCE = "ré";

    @Test
    void prepare() {
        pinned(new Prepare(RESOURCE, ballot, 0x43), "01" + HEAD);
    }

    @Test
    void propose() {
        pinned(
                new Propose(RESOURCE, ballot, 0x65, 0x43),
                "02" + HEAD + " 0000000000000065 00 0000000000000021 0000000000000000");
        pinned(
                new Propose(RESOURCE, ballot, 0x65, 0x43, QueueMode.ASK_HOLDER, 0x20),
                "02" + HEAD + " 0000000000000065 01 0000000000000020 0000000000000000");
        pinned(
                new Propose(RESOURCE, ballot, 0x65, 0x43, QueueMode.QUEUE, 0x20, 0x19),
                "02" + HEAD + " 0000000000000065 02 0000000000000020 0000000000000019");
    }

    @Test
    void extend() {
        List<Extension> extensions = List.of(new Extension("r", 0x21), new Extension("s", 0x22));
        pinned(
                new Extend(incarnation, 0x43, 0x65, 0x87, extensions),
                "03" + INCARNATION + ATTEMPT + " 0000000000000065 0000000000000087"
                        + " 0002 01 72 0000000000000021 01 73 0000000000000022");
        pinned(
                new Extend(incarnation, 0x43, 0x65, 0x87, List.of()),
                "03" + INCARNATION + ATTEMPT + " 0000000000000065 0000000000000087 0000");
    }

    @Test
    void release() {
        pinned(new Release(RESOURCE, incarnation, 0x21), "04 03 72c3a9" + INCARNATION + " 0000000000000021");
    }

    @Test
    void open() {
        pinned(new Open(RESOURCE, ballot, 0x43), "10" + HEAD);
    }

    @Test
    void accepted() {
        pinned(new Accepted(RESOURCE, ballot, 0x43), "11" + HEAD + " 00");
        pinned(new Accepted(RESOURCE, ballot, 0x43, true), "11" + HEAD + " 01");
    }

    @Test
    void held() {
        pinned(
                new Held(
                        RESOURCE,
                        ballot,
                        0x43,
                        new Ballot(0x87, new Incarnation(0, -1)),
                        new NodeId("b"),
                        0x65,
                        0xa9,
                        true),
                "12" + HEAD + " 0000000000000087 0000000000000000 ffffffffffffffff 01 62 0000000000000065"
                        + " 00000000000000a9 01");
    }

    @Test
    void heldForAClientThatTheQueueHasNoRoomFor() {
        Ballot owner = new Ballot(0x87, new Incarnation(0, -1));
        pinned(
                new Held(RESOURCE, ballot, 0x43, owner, new NodeId("b"), 0x65, 0xa9, false, 0x0123, ""),
                "12" + HEAD + " 0000000000000087 0000000000000000 ffffffffffffffff 01 62 0000000000000065"
                        + " 00000000000000a9 02 0000000000000123");
    }

    @Test
    void stale() {
        pinned(new Stale(RESOURCE, ballot, 0x43, 0x87), "13" + HEAD + " 0000000000000087");
    }

    @Test
    void refused() {
        pinned(new Refused(RESOURCE, ballot, 0x43, Refusal.TOO_LONG, 0x65), "14" + HEAD + " 01 0000000000000065");
        pinned(new Refused(RESOURCE, ballot, 0x43, Refusal.TOO_FAR_AHEAD, 0x65), "14" + HEAD + " 02 0000000000000065");
        pinned(new Refused(RESOURCE, ballot, 0x43, Refusal.TOO_MANY, 0x65), "14" + HEAD + " 03 0000000000000065");
        pinned(
                new Refused(RESOURCE, ballot, 0x43, Refusal.OTHER_GENERATION, 0x65),
                "14" + HEAD + " 04 0000000000000065");
    }

    @Test
    void requestsInAMode() {
        pinned(
                new InMode(3, 0x0102030405060708L, new Prepare(RESOURCE, ballot, 0x43)),
                "06 00000003 0102030405060708 01" + HEAD);
        pinned(
                new InMode(0x01020304, -1, new Propose(RESOURCE, ballot, 0x65, 0x43)),
                "06 01020304 ffffffffffffffff 02" + HEAD + " 0000000000000065 00 0000000000000021 0000000000000000");
        pinned(
                new InMode(4, 9, new Extend(incarnation, 0x43, 0x65, 0x87, List.of())),
                "06 00000004 0000000000000009 03" + INCARNATION + ATTEMPT + " 0000000000000065 0000000000000087 0000");
    }

    @Test
    void standing() {
        pinned(new AskStanding(0x43), "07" + ATTEMPT);
        pinned(
                new Standing(0x43, incarnation, Samples.second(), 1),
                "1a" + ATTEMPT + INCARNATION + " 00000001 00000002" + LIST_NOW + " 01" + LIST_BEFORE);
        pinned(
                new Standing(
                        0x43, incarnation, Generation.first(Samples.second().current()), 1),
                "1a" + ATTEMPT + INCARNATION + " 00000001 00000001" + LIST_NOW + " 00");
    }

    @Test
    void extended() {
        pinned(
                new Extended(incarnation, 0x43, List.of(1), List.of(0, 0x0102)),
                "15" + INCARNATION + ATTEMPT + " 0001 0001 0002 0000 0102");
    }

    @Test
    void released() {
        pinned(new Released(RESOURCE, 0x0102), "16 03 72c3a9 0102");
    }

    @Test
    void inUse() {
        pinned(new InUse(RESOURCE, ballot, 0x43), "17" + HEAD);
    }

    @Test
    void unknownBatch() {
        pinned(new UnknownBatch(incarnation, 0x43), "18" + INCARNATION + ATTEMPT);
    }

    @Test
    void stillInUse() {
        pinned(new StillInUse(RESOURCE, incarnation), "05 03 72c3a9" + INCARNATION);
    }

    @Test
    void wanted() {
        pinned(
                new Wanted(RESOURCE, incarnation, 0x65, 0x87, true),
                "19 03 72c3a9" + INCARNATION + " 0000000000000065 0000000000000087 01 00");
        pinned(
                new Wanted(RESOURCE, incarnation, 0x65, 0, false, new NodeId("n1")),
                "19 03 72c3a9" + INCARNATION + " 0000000000000065 0000000000000000 00 02 6e31");
    }

    @Test
    void nominate() {
        pinned(
                new Nominate(RESOURCE, incarnation, 0x65, 0x43, new NodeId("n1")),
                "0c 03 72c3a9" + INCARNATION + " 0000000000000065" + ATTEMPT + " 02 6e31");
        pinned(
                new Nominate(RESOURCE, incarnation, 0x65, 0x43, null),
                "0c 03 72c3a9" + INCARNATION + " 0000000000000065" + ATTEMPT + " 00");
    }

    @Test
    void releaseTo() {
        pinned(
                new ReleaseTo(new Release(RESOURCE, incarnation, 0x65), new NodeId("n1")),
                "0d 03 72c3a9" + INCARNATION + " 0000000000000065 02 6e31");
    }

    @Test
    void nominated() {
        pinned(
                new Nominated(
                        RESOURCE,
                        0x43,
                        List.of(
                                new Candidate(new NodeId("n1"), 0x65, true),
                                new Candidate(new NodeId("n2"), 0x87, false))),
                "1d 03 72c3a9" + ATTEMPT + " 02 02 6e31 0000000000000065 01 02 6e32 0000000000000087 00");
    }

    @Test
    void raiseRegister() {
        pinned(new RaiseRegister(0x43, RESOURCE, 0x65), "08" + ATTEMPT + " 03 72c3a9 0000000000000065");
    }

    @Test
    void readRegister() {
        pinned(new ReadRegister(0x43, RESOURCE), "09" + ATTEMPT + " 03 72c3a9");
    }

    @Test
    void requestsOnRegistersInAMode() {
        RegisterMode mode = new RegisterMode(3, 0x0102030405060708L);
        String head = "06 00000003 0102030405060708";
        pinned(new RaiseRegister(0x43, RESOURCE, 0x65, mode), head + " 08" + ATTEMPT + " 03 72c3a9 0000000000000065");
        pinned(new ReadRegister(0x43, RESOURCE, mode), head + " 09" + ATTEMPT + " 03 72c3a9");
    }

    @Test
    void knownRegisters() {
        pinned(
                new KnownRegisters(List.of(new Entry(RESOURCE, 0x65), new Entry("s", 0))),
                "0a 02 03 72c3a9 0000000000000065 01 73 0000000000000000");
    }

    @Test
    void registerValue() {
        pinned(new RegisterValue(0x43, OptionalLong.of(0x65)), "1b" + ATTEMPT + " 01 0000000000000065");
        pinned(new RegisterValue(0x43, OptionalLong.empty()), "1b" + ATTEMPT + " 00");
    }

    @Test
    void hello() {
        String body = " 50584c53 0001 0001 0043 00 00 04 63656c6c 01 61 01 62 0000000000000001 0000000000000002"
                + " 000000012a05f200 3fb999999999999a 00 0000000000000000 02 01 61 01 62 00000001 00000001 00 00";
        Hello hello = Samples.plainHello();
        pinned(out -> Frames.writeHello(out, Frames.HELLO, hello), "0000004e 01" + body);
        pinned(out -> Frames.writeHello(out, Frames.WELCOME, hello), "0000004e 02" + body);
        assertThat(Frames.readHello(bytes(body), Versions.OURS)).isEqualTo(hello);
    }

    @Test
    void helloAfterAnotherProcess() {
        String body = " 50584c53 0001 0001 005b 00 00 04 63656c6c 01 61 01 62 0000000000000001 0000000000000002"
                + " 000000012a05f200 3fb999999999999a 00 0000000000000000 02 01 61 01 62 00000001 00000001 00"
                + " 01 0000000000000003 0000000000000004 0000000000000005";
        Hello hello = Samples.plainHello().afterMeeting(new Hello.LastBoot(new Incarnation(3, 4), 5));
        pinned(out -> Frames.writeHello(out, Frames.WELCOME, hello), "00000066 02" + body);
        assertThat(Frames.readHello(bytes(body), Versions.OURS)).isEqualTo(hello);
    }

    @Test
    void helloOfASecondGeneration() {
        String body = " 50584c53 0001 0001 0058 00 00 04 63656c6c 01 61 01 63 0000000000000001 0000000000000002"
                + " 000000012a05f200 3fb999999999999a 00 0000000000000000 02 01 61 01 63"
                + " 00000002 00000000 01" + LIST_BEFORE + " 00";
        Hello hello = Samples.secondHello();
        pinned(out -> Frames.writeHello(out, Frames.HELLO, hello), "00000063 01" + body);
        assertThat(Frames.readHello(bytes(body), Versions.OURS)).isEqualTo(hello);
    }

    @Test
    void helloOfAClient() {
        Hello plain = Samples.plainHello();
        Hello client = new Hello(
                plain.config(), plain.from(), plain.to(), plain.bootId(), Versions.OURS, Hello.Role.CLIENT, "ré");
        String body = " 50584c53 0001 0001 0046 01 03 72c3a9 04 63656c6c 01 61 01 62 0000000000000001 0000000000000002"
                + " 000000012a05f200 3fb999999999999a 00 0000000000000000 02 01 61 01 62 00000001 00000001 00 00";
        pinned(out -> Frames.writeHello(out, Frames.HELLO, client), "00000051 01" + body);
        assertThat(Frames.readHello(bytes(body), Versions.OURS)).isEqualTo(client);
    }

    @Test
    void contact() {
        CellConfig unknown = new CellConfig("cell", List.of(), Duration.ZERO, 0);
        NodeId client = new NodeId("z");
        Hello hello = new Hello(unknown, client, client, new Incarnation(1, 2), Versions.OURS, Hello.Role.CLIENT, "");
        String body = " 50584c53 0001 0001 003f 01 00 04 63656c6c 01 7a 01 7a 0000000000000001 0000000000000002"
                + " 0000000000000000 0000000000000000 00 0000000000000000 00 00000001 00000001 00 00";
        pinned(out -> Frames.writeHello(out, Frames.CONTACT, hello), "0000004a 08" + body);
        assertThat(Frames.readHello(bytes(body), Versions.OURS)).isEqualTo(hello);
    }

    @Test
    void members() {
        CellMembers members = new CellMembers(
                Samples.plainHello(),
                Map.of(
                        new NodeId("a"), InetSocketAddress.createUnresolved("ha", 7400),
                        new NodeId("b"), InetSocketAddress.createUnresolved("fd00::1", 65_535)));
        String body = " 02 02 6861 1ce8 07 666430303a3a31 ffff"
                + " 50584c53 0001 0001 0043 00 00 04 63656c6c 01 61 01 62 0000000000000001 0000000000000002"
                + " 000000012a05f200 3fb999999999999a 00 0000000000000000 02 01 61 01 62 00000001 00000001 00 00";
        pinned(out -> Frames.writeMembers(out, members), "0000005e 09" + body);
        assertThat(Frames.readMembers(bytes(body), Versions.OURS)).isEqualTo(members);
    }

    @Test
    void coming() {
        ComingMembers coming = new ComingMembers(
                Samples.second(),
                Map.of(
                        new NodeId("a"), InetSocketAddress.createUnresolved("ha", 7400),
                        new NodeId("b"), InetSocketAddress.createUnresolved("hb", 7401),
                        new NodeId("c"), InetSocketAddress.createUnresolved("fd00::1", 65_535)));
        String body = " 00000002 000000012a05f200 3fb999999999999a 02 01 61 01 63 01" + LIST_BEFORE
                + " 03 02 6861 1ce8 07 666430303a3a31 ffff 02 6862 1ce9";
        pinned(out -> Frames.writeComing(out, coming), "00000045 0b" + body);
        assertThat(Frames.readComing(bytes(body))).isEqualTo(coming);
    }

    @Test
    void spread() {
        pinned(out -> Frames.writeSpread(out, 5_000), "00000005 0a 00001388");
        assertThat(Frames.readSpread(bytes("00001388"))).isEqualTo(5_000);
    }

    @Test
    void helloOfAnotherAlgorithm() {
        CellConfig.Clocked flease = new CellConfig.Clocked("flease", Duration.ofMillis(500));
        CellConfig config = new CellConfig("cell", List.of(new NodeId("a")), Duration.ofSeconds(5), 0.1, flease);
        Hello hello = new Hello(config, new NodeId("a"), new NodeId("b"), new Incarnation(1, 2), Versions.OURS);
        pinned(
                out -> Frames.writeHello(out, Frames.HELLO, hello),
                "00000053 01 50584c53 0001 0001 0048 00 00 04 63656c6c 01 61 01 62 0000000000000001 0000000000000002"
                        + " 000000012a05f200 3fb999999999999a 01 06 666c65617365 000000001dcd6500 01 01 61"
                        + " 00000001 00000001 00 00");
    }

    @Test
    void reject() {
        pinned(
                out -> Frames.writeRejection(out, new Rejection(ConnectionRefusal.CELL, "né")),
                "00000007 03 02 0003 6ec3a9");
    }

    @Test
    void rejectionsAreNumbered() {
        assertThat(Rejection.REASONS)
                .extracting(reason -> {
                    ByteBuf out = Unpooled.buffer();
                    Frames.writeRejection(out, new Rejection(reason, ""));
                    return out.getByte(5) + " " + reason;
                })
                .containsExactly(
                        "1 VERSION",
                        "2 CELL",
                        "3 NOT_A_MEMBER",
                        "4 WRONG_NODE",
                        "5 CONFIGURATION",
                        "6 DUPLICATE_NODE",
                        "7 NODE_ID_MISMATCH",
                        "8 BUSY",
                        "9 CLIENTS_REFUSED");
    }

    @Test
    void messages() {
        List<Message> two = List.of(new Released("r", 1), new Released("s", 2));
        pinned(out -> Frames.writeMessages(out, two, 0), "0000000b 04 16 01 72 0001 16 01 73 0002");
    }

    @Test
    void pingAndPong() {
        pinned(out -> Frames.writeEmpty(out, Frames.PING), "00000001 05");
        pinned(out -> Frames.writeEmpty(out, Frames.PONG), "00000001 06");
    }

    @Test
    void version1IsSpokenAndAFrameHas64Kilobytes() {
        assertThat(Versions.OURS).isEqualTo(Versions.only(1));
        assertThat(Frames.MAX_FRAME).isEqualTo(65_536);
    }

    private static ByteBuf bytes(String hex) {
        return Unpooled.wrappedBuffer(HexFormat.of().parseHex(hex.replace(" ", "")));
    }

    private static void pinned(Message message, String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", ""));
        assertThat(Samples.encoded(message))
                .asHexString()
                .isEqualTo(HexFormat.of().withUpperCase().formatHex(bytes));
        assertThat(MessageCodec.decode(Unpooled.wrappedBuffer(bytes))).isEqualTo(message);
    }

    private static void pinned(Consumer<ByteBuf> writer, String hex) {
        ByteBuf out = Unpooled.buffer();
        writer.accept(out);
        assertThat(HexFormat.of().formatHex(Samples.bytes(out))).isEqualTo(hex.replace(" ", ""));
    }
}
