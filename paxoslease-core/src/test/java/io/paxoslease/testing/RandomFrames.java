package io.paxoslease.testing;

import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.Ballot;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.protocol.paxos.PaxosMessage.Accepted;
import io.paxoslease.protocol.paxos.PaxosMessage.AskStanding;
import io.paxoslease.protocol.paxos.PaxosMessage.Extend;
import io.paxoslease.protocol.paxos.PaxosMessage.Extended;
import io.paxoslease.protocol.paxos.PaxosMessage.Extension;
import io.paxoslease.protocol.paxos.PaxosMessage.Held;
import io.paxoslease.protocol.paxos.PaxosMessage.InMode;
import io.paxoslease.protocol.paxos.PaxosMessage.InUse;
import io.paxoslease.protocol.paxos.PaxosMessage.Open;
import io.paxoslease.protocol.paxos.PaxosMessage.Prepare;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import io.paxoslease.protocol.paxos.PaxosMessage.QueueMode;
import io.paxoslease.protocol.paxos.PaxosMessage.Refusal;
import io.paxoslease.protocol.paxos.PaxosMessage.Refused;
import io.paxoslease.protocol.paxos.PaxosMessage.Release;
import io.paxoslease.protocol.paxos.PaxosMessage.Released;
import io.paxoslease.protocol.paxos.PaxosMessage.Stale;
import io.paxoslease.protocol.paxos.PaxosMessage.Standing;
import io.paxoslease.protocol.paxos.PaxosMessage.UnknownBatch;
import io.paxoslease.protocol.registers.MaxRegisterMessage.Entry;
import io.paxoslease.protocol.registers.MaxRegisterMessage.KnownRegisters;
import io.paxoslease.protocol.registers.MaxRegisterMessage.RaiseRegister;
import io.paxoslease.protocol.registers.MaxRegisterMessage.ReadRegister;
import io.paxoslease.protocol.registers.MaxRegisterMessage.RegisterValue;
import io.paxoslease.protocol.registers.RegisterMode;
import io.paxoslease.transport.CellConfig;
import io.paxoslease.transport.CellMembers;
import io.paxoslease.transport.ComingMembers;
import io.paxoslease.transport.Hello;
import io.paxoslease.transport.MessageCodec;
import io.paxoslease.transport.Rejection;
import io.paxoslease.transport.Versions;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Draws what may travel: every type of message, every field often at one of its bounds. */
public final class RandomFrames {

    private static final List<Refusal> REFUSALS = List.of(Refusal.values());

    /** The longest text of the wire format, in bytes of UTF-8. */
    private static final int MAX_TEXT = 255;

    private static final int MAX_MEMBERS = 63;
    private static final long[] NUMBERS = {0, 1, -1, Long.MAX_VALUE, Long.MIN_VALUE, Integer.MAX_VALUE, 1L << 53};
    private static final double[] DRIFTS = {0, 0.1, 0.5, -1, Double.NaN, Double.POSITIVE_INFINITY, Double.MIN_VALUE};
    private static final int[] WIDEST = {0x7F, 0x7FF, 0xFFFF, Character.MAX_CODE_POINT};

    private final SplittableRandom random;

    public RandomFrames(SplittableRandom random) {
        this.random = random;
    }

    public Message message() {
        String resource = text();
        Ballot ballot = ballot();
        long attempt = number();
        if (random.nextInt(10) == 0) {
            return ofRegisters(attempt);
        }
        return switch (random.nextInt(16)) {
            case 0 -> new Prepare(resource, ballot, attempt);
            case 1 -> new Propose(resource, ballot, amount(), attempt, queueMode(), amount(), amount(), note());
            case 2 ->
                new Extend(incarnation(), attempt, amount(), amount(), list(() -> new Extension(text(), amount())));
            case 3 -> new Release(resource, incarnation(), amount());
            case 4 -> new Open(resource, ballot, attempt);
            case 5 -> new Accepted(resource, ballot, attempt, random.nextBoolean());
            case 6 -> held(resource, ballot, attempt);
            case 7 -> new Stale(resource, ballot, attempt, amount());
            case 8 -> {
                Refusal reason = REFUSALS.get(random.nextInt(REFUSALS.size()));
                yield new Refused(resource, ballot, attempt, reason, amount());
            }
            case 9 -> new Extended(incarnation(), attempt, list(this::position), list(this::position));
            case 10 -> new UnknownBatch(incarnation(), attempt);
            case 11 -> new InUse(resource, ballot, attempt);
            case 12 ->
                new InMode(
                        random.nextInt() & Integer.MAX_VALUE,
                        random.nextLong(),
                        requestOfMode(resource, ballot, attempt));
            case 13 -> new AskStanding(number());
            case 14 -> new Standing(number(), incarnation(), generation(), random.nextInt() & Integer.MAX_VALUE);
            default -> new Released(resource, random.nextInt(4) == 0 ? 0xFFFF : random.nextInt(0x1_0000));
        };
    }

    private PaxosMessage.Request requestOfMode(String resource, Ballot ballot, long attempt) {
        return switch (random.nextInt(3)) {
            case 0 -> new Prepare(resource, ballot, attempt);
            case 1 -> new Propose(resource, ballot, amount(), attempt, queueMode(), amount(), amount(), note());
            default ->
                new Extend(incarnation(), attempt, amount(), amount(), list(() -> new Extension(text(), amount())));
        };
    }

    /** One that a node can run. */
    private Generation generation() {
        int number = random.nextInt(3) == 0 ? Integer.MAX_VALUE : random.nextInt(1, 4);
        List<NodeId> everyone = nodeIds(1);
        MemberList current = list(everyone.subList(0, random.nextInt(1, everyone.size() + 1)));
        MemberList previous = list(everyone.subList(random.nextInt(everyone.size()), everyone.size()));
        return new Generation(number, current, number == 1 || random.nextBoolean() ? null : previous);
    }

    private MemberList list(List<NodeId> members) {
        long day = Duration.ofHours(24).toNanos();
        return new MemberList(members, Duration.ofNanos(random.nextLong(1, day + 1)), random.nextInt(6) / 10.0);
    }

    private List<NodeId> nodeIds(int least) {
        return Stream.generate(this::nodeId)
                .distinct()
                .limit(Math.max(least, size(MAX_MEMBERS)))
                .toList();
    }

    private Held held(String resource, Ballot ballot, long attempt) {
        boolean queued = random.nextBoolean();
        long askAgain = queued || random.nextBoolean() ? 0 : amount();
        return new Held(resource, ballot, attempt, ballot(), nodeId(), amount(), amount(), queued, askAgain, note());
    }

    private String note() {
        return random.nextInt(3) > 0 ? "" : text();
    }

    private Message ofRegisters(long number) {
        return switch (random.nextInt(4)) {
            case 0 -> new RaiseRegister(number, name(), amount(), registerMode());
            case 1 -> new ReadRegister(number, name(), registerMode());
            case 2 -> new KnownRegisters(list(() -> new Entry(name(), amount()), KnownRegisters.MOST));
            default ->
                new RegisterValue(number, random.nextBoolean() ? OptionalLong.empty() : OptionalLong.of(amount()));
        };
    }

    private RegisterMode registerMode() {
        return random.nextBoolean() ? RegisterMode.FIRST : new RegisterMode(random.nextInt(9), number());
    }

    private String name() {
        String drawn = text();
        return drawn.isEmpty() ? "r" : drawn;
    }

    private QueueMode queueMode() {
        QueueMode[] all = QueueMode.values();
        return all[random.nextInt(all.length)];
    }

    private int position() {
        return random.nextInt(4) == 0 ? 0xFFFF : random.nextInt(0x1_0000);
    }

    public Hello hello() {
        List<NodeId> members = nodeIds(0);
        double drift = random.nextBoolean() ? DRIFTS[random.nextInt(DRIFTS.length)] : random.nextDouble();
        CellConfig config = new CellConfig(nodeId().name(), members, Duration.ofNanos(amount()), drift, clocked());
        if (random.nextBoolean()) {
            config = new CellConfig(config.cell(), generation(), config.clocked());
        }
        boolean isClient = random.nextInt(4) == 0;
        Hello hello = new Hello(
                config,
                isClient || config.members().isEmpty()
                        ? nodeId()
                        : config.members().get(0),
                nodeId(),
                incarnation(),
                Versions.OURS,
                isClient ? Hello.Role.CLIENT : Hello.Role.MEMBER,
                isClient && random.nextBoolean() ? nodeId().name() : "");
        return random.nextBoolean() ? hello.afterMeeting(new Hello.LastBoot(incarnation(), amount())) : hello;
    }

    /** As a member says it: its own configuration, and an address of each member. */
    public CellMembers members() {
        Hello drawn = hello();
        CellConfig config = drawn.config();
        if (config.generation().number() > 1
                && config.generation().everyone().contains(drawn.from())
                && drawn.role() == Hello.Role.MEMBER) {
            return new CellMembers(drawn, addresses(config.generation().everyone()));
        }
        List<NodeId> ids = Stream.concat(Stream.of(drawn.from()), config.members().stream())
                .distinct()
                .limit(MAX_MEMBERS)
                .toList();
        CellConfig all =
                new CellConfig(config.cell(), ids, config.maxLeaseTime(), config.clockDrift(), config.clocked());
        Hello teller = new Hello(all, drawn.from(), drawn.to(), drawn.bootId(), drawn.versions());
        return new CellMembers(teller, addresses(all.members()));
    }

    /** As members tell of a change. */
    public ComingMembers coming() {
        Generation drawn = generation();
        Generation coming = new Generation(
                Math.max(2, drawn.number()),
                drawn.current(),
                drawn.previous() == null ? drawn.current() : drawn.previous());
        return new ComingMembers(coming, addresses(coming.everyone()));
    }

    private Map<NodeId, InetSocketAddress> addresses(List<NodeId> ids) {
        Map<NodeId, InetSocketAddress> addresses = new LinkedHashMap<>();
        for (NodeId id : ids) {
            addresses.put(id, InetSocketAddress.createUnresolved(nodeId().name(), random.nextInt(1, 0x1_0000)));
        }
        return addresses;
    }

    private CellConfig.@Nullable Clocked clocked() {
        return random.nextBoolean()
                ? null
                : new CellConfig.Clocked(nodeId().name(), Duration.ofNanos(Math.max(1, amount())));
    }

    /** Without control characters, which a reader replaces. */
    public Rejection rejection() {
        List<ConnectionRefusal> reasons = Rejection.REASONS;
        return new Rejection(reasons.get(random.nextInt(reasons.size())), text(random.nextInt(2_000), 0x20));
    }

    private <T> List<T> list(Supplier<T> element) {
        return list(element, MessageCodec.MAX_EXTENSIONS);
    }

    private <T> List<T> list(Supplier<T> element, int most) {
        return Stream.generate(element).limit(size(most)).toList();
    }

    /** None, few, or the most. */
    private int size(int most) {
        return switch (random.nextInt(4)) {
            case 0 -> 0;
            case 1 -> most;
            default -> random.nextInt(4);
        };
    }

    private Ballot ballot() {
        return new Ballot(amount(), incarnation());
    }

    private Incarnation incarnation() {
        return new Incarnation(number(), number());
    }

    /** Any number. */
    public long number() {
        return random.nextBoolean() ? NUMBERS[random.nextInt(NUMBERS.length)] : random.nextLong();
    }

    /** Any number that is not negative. */
    public long amount() {
        return number() & Long.MAX_VALUE;
    }

    private String text() {
        return switch (random.nextInt(4)) {
            case 0 -> "";
            case 1 -> text(MAX_TEXT, 0);
            default -> text(random.nextInt(12), 0);
        };
    }

    private NodeId nodeId() {
        while (true) {
            String name = text(random.nextInt(4) == 0 ? NodeId.MAX_BYTES : random.nextInt(1, 9), '!');
            if (NodeId.isValidName(name)) {
                return new NodeId(name);
            }
        }
    }

    /** As many characters, of one to four bytes each, as fit. */
    private String text(int bytes, int lowest) {
        StringBuilder text = new StringBuilder();
        int widest = WIDEST[random.nextInt(WIDEST.length)];
        int left = bytes;
        while (left > 0) {
            String next = Character.toString(codePoint(lowest, left == 1 ? 0x7E : widest));
            left -= next.getBytes(StandardCharsets.UTF_8).length;
            if (left >= 0) {
                text.append(next);
            }
        }
        return text.toString();
    }

    private int codePoint(int lowest, int highest) {
        int point = random.nextInt(lowest, highest + 1);
        boolean printable = lowest == 0 || !Character.isISOControl(point);
        boolean surrogate = point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE;
        return printable && !surrogate ? point : 'x';
    }
}
