package io.paxoslease.transport.netty;

import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Printable;
import io.paxoslease.transport.Admission;
import io.paxoslease.transport.CellConfig;
import io.paxoslease.transport.CellMembers;
import io.paxoslease.transport.Hello;
import io.paxoslease.transport.MessageTypes;
import io.paxoslease.transport.Versions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Asks the contact points of a client who the members of its cell are: all of them, and of a name with many addresses all of these. For
 * one thread, which waits; no connection outlives a question.
 */
public final class ContactPoints implements AutoCloseable {

    private static final int MOST_ADDRESSES = 32;
    /** Longer than a connection attempt and a handshake take at most. */
    private static final long LONGEST_MILLIS = 10_000;
    /** After the first answer: time for another one that differs. */
    private static final long GRACE_MILLIS = 250;

    private static final long CLOSE_MILLIS = 200;

    private final TransportContext context;
    private final MultiThreadIoEventLoopGroup group;
    private final List<InetSocketAddress> points;

    /**
     * What became of one address.
     *
     * @param address for people
     * @param members what it said; null: nothing
     * @param problem why it is no help, for a sentence; null when it is
     * @param refusal which of the two refused the other, and why; null when none did
     */
    public record Contact(
            String address,
            @Nullable CellMembers members,
            @Nullable String problem,
            @Nullable ConnectionRefusal refusal) {

        private Contact with(String found) {
            return new Contact(address, null, found, ConnectionRefusal.CONFIGURATION);
        }
    }

    /**
     * What became of a question.
     *
     * @param members who the members are; null when no contact point said so, or not all the same
     * @param contacts each address that was asked
     */
    public record Outcome(@Nullable CellMembers members, List<Contact> contacts) {}

    /**
     * An address to ask, of a contact point.
     *
     * @param place of the contact point among all
     */
    private record Target(int place, InetSocketAddress point, InetSocketAddress address, String text) {

        /** In which answers are looked at and shown: the same each time. */
        static final Comparator<Target> ORDER =
                Comparator.comparingInt(Target::place).thenComparing(Target::text);
    }

    /**
     * @param cell the name of the client's cell
     * @param self the client
     * @param application which application it is an instance of; may be empty
     * @param resolver leads a contact point elsewhere, or looks it up
     */
    public ContactPoints(
            String cell,
            NodeId self,
            Incarnation bootId,
            String application,
            List<InetSocketAddress> points,
            UnaryOperator<InetSocketAddress> resolver,
            Security security) {
        this.points = points;
        this.group = Sockets.BEST.newLoop("paxoslease-" + self + "-contact");
        CellConfig unknown = new CellConfig(cell, List.of(), Duration.ZERO, 0);
        this.context = new TransportContext(
                new Identity(unknown, self, bootId, Versions.OURS, Hello.Role.CLIENT, application, MessageTypes.NONE),
                Map.of(),
                security,
                resolver,
                group.next(),
                MOST_ADDRESSES,
                LoggerFactory.getLogger(ContactPoints.class),
                ClientMemory.ofThisProcess());
    }

    /** Asks all of them, and waits for the first answer, and a moment for others. */
    public Outcome ask() throws InterruptedException {
        return ask(GRACE_MILLIS);
    }

    Outcome ask(long graceMillis) throws InterruptedException {
        List<Contact> found = new ArrayList<>();
        Map<Target, CompletableFuture<Contact>> asked = new LinkedHashMap<>();
        for (Target target : targets(found)) {
            asked.put(target, ask(target));
        }
        await(asked.values(), graceMillis);
        asked.keySet().stream().sorted(Target.ORDER).map(asked::get).forEach(answer -> {
            if (answer.isDone()) {
                found.add(answer.join());
            }
        });
        return judge(found);
    }

    /** In an order of its own each time, so that the first of a list are not asked by all clients first. */
    private List<Target> targets(List<Contact> found) {
        List<Target> targets = new ArrayList<>();
        for (int place = 0; place < points.size(); place++) {
            InetSocketAddress point = points.get(place);
            List<InetSocketAddress> addresses = resolve(point);
            String text = Printable.address(point.getHostString(), point.getPort());
            for (InetSocketAddress each : addresses) {
                String ip = each.getAddress().getHostAddress();
                targets.add(new Target(
                        place, point, each, ip.equals(point.getHostString()) ? text : text + " (" + ip + ")"));
            }
            if (addresses.isEmpty()) {
                found.add(failed(text, "the host of contact point %s does not resolve: correct it".formatted(text)));
            }
        }
        Collections.shuffle(targets);
        return targets.subList(0, Math.min(MOST_ADDRESSES, targets.size()));
    }

    private Contact failed(String address, String problem) {
        context.log.warn(address, null, problem + "; trying again");
        return new Contact(address, null, problem, null);
    }

    private List<InetSocketAddress> resolve(InetSocketAddress point) {
        InetSocketAddress resolved = context.resolver.apply(point);
        if (!resolved.getHostString().equals(point.getHostString()) && !resolved.isUnresolved()) {
            return List.of(resolved);
        }
        List<InetSocketAddress> all = new ArrayList<>();
        try {
            for (InetAddress each : InetAddress.getAllByName(resolved.getHostString())) {
                all.add(new InetSocketAddress(each, resolved.getPort()));
            }
        } catch (UnknownHostException unknown) {
            context.log.plain.debug("{} does not resolve: {}", Printable.name(point), unknown);
        }
        return all;
    }

    private CompletableFuture<Contact> ask(Target target) {
        CompletableFuture<Contact> answer = new CompletableFuture<>();
        Dialer.connect(
                        context,
                        target.address(),
                        () -> new ContactConnection(context, target.point(), target.text(), answer))
                .addListener(done -> {
                    if (!done.isSuccess()) {
                        answer.complete(failed(
                                target.text(),
                                "contact point %s cannot be reached (%s)"
                                        .formatted(target.text(), Dialer.reason(done.cause()))));
                    }
                });
        return answer;
    }

    private static void await(Collection<CompletableFuture<Contact>> asked, long graceMillis)
            throws InterruptedException {
        CompletableFuture<Void> all = CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new));
        CompletableFuture<Void> first = new CompletableFuture<>();
        all.whenComplete((done, failure) -> first.complete(null));
        for (CompletableFuture<Contact> each : asked) {
            each.thenAccept(contact -> {
                if (contact.members() != null) {
                    first.complete(null);
                }
            });
        }
        awaitAtMost(first, LONGEST_MILLIS);
        awaitAtMost(all, graceMillis);
    }

    private static void awaitAtMost(CompletableFuture<Void> end, long millis) throws InterruptedException {
        try {
            end.get(millis, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException late) {
            // What is there must do.
        }
    }

    /** Those who answer must say the same, or generations that may meet, of which the newest counts: else one of them is of another cell by mistake, and it cannot be told which. */
    private Outcome judge(List<Contact> found) {
        List<Contact> contacts = new ArrayList<>();
        CellMembers members = null;
        String difference = null;
        for (Contact contact : found) {
            CellMembers told = contact.members();
            if (told == null || members == null) {
                members = told == null ? members : told;
                contacts.add(contact);
                continue;
            }
            Hello first = members.teller();
            String differs = new Admission(first.config(), first.from()).difference(told.teller());
            difference = differs == null ? difference : differs;
            contacts.add(differs == null ? contact : contact.with(disagree(differs)));
            boolean isNewer = generation(told) > generation(members);
            members = differs == null && isNewer ? told : members;
        }
        if (difference == null) {
            return new Outcome(members, contacts);
        }
        context.log.warn("contact points", ConnectionRefusal.CONFIGURATION, disagree(difference) + "; trying again");
        return new Outcome(null, contacts);
    }

    private static int generation(CellMembers members) {
        return members.teller().config().generation().number();
    }

    private static String disagree(String difference) {
        return Printable.text(
                "the contact points disagree, so they are not of one cell: %s. Correct the contact points, or configure the same on every member"
                        .formatted(difference));
    }

    /** Any thread; does not wait. */
    @Override
    public void close() {
        context.loop.execute(() -> {
            context.halfClose();
            context.end();
        });
        group.shutdownGracefully(0, CLOSE_MILLIS, TimeUnit.MILLISECONDS);
    }
}
