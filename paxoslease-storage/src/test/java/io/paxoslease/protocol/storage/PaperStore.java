package io.paxoslease.protocol.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.storage.RegisterMessage.CompareAndSet;
import io.paxoslease.protocol.storage.RegisterMessage.Done;
import io.paxoslease.protocol.storage.RegisterMessage.Failed;
import io.paxoslease.protocol.storage.RegisterMessage.Read;
import io.paxoslease.protocol.storage.RegisterMessage.Request;
import io.paxoslease.protocol.storage.RegisterMessage.Value;
import io.paxoslease.protocol.storage.RegisterMessage.Write;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Clients and their store, as the tests of the paper's sentences use them: one simulated time, in milliseconds, registers that
 * are regular and no better, and accesses that take the course that a test gives them.
 */
final class PaperStore {

    /** The paper's small delta. */
    static final long DELTA = 100;

    /** The paper's large Delta. */
    static final long LEASE = 3_000;

    static final long NEVER = -1;

    private static final long MILLI = 1_000_000;
    private static final int MOST_ROUNDS = 1_000;

    /** How stamps get into the register, and how a lease is renewed. */
    enum Form {
        KNOWN_DELAY,
        EVENTUAL,
        COMPARE_AND_SET
    }

    /** What a read answers that is concurrent with a write. */
    enum Sight {
        /** What was complete when the read began. */
        OLD,
        /** What was there when the read had its effect. */
        PRESENT,
        /** What has been begun last. */
        NEW
    }

    /**
     * What becomes of an access.
     *
     * @param begins when the store is called, in milliseconds after the client has asked for it
     * @param takesEffect when it has its effect; {@link #NEVER}: not at all
     * @param answered when the client has its answer; {@link #NEVER}: it has none
     * @param fails whether the answer says that it failed
     */
    record Course(long begins, long takesEffect, long answered, boolean fails, Sight sight) {

        static final Course USUAL = of(10, 20);

        static Course of(long takesEffect, long answered) {
            return new Course(0, takesEffect, answered, false, Sight.PRESENT);
        }

        Course begun(long later) {
            return new Course(later, later + takesEffect, later + answered, fails, sight);
        }

        Course failing() {
            return new Course(begins, takesEffect, answered, true, sight);
        }

        Course seeing(Sight other) {
            return new Course(begins, takesEffect, answered, fails, other);
        }
    }

    /** Decides the course of an access. */
    interface Courses {
        Course of(PaperClient client, Request request);
    }

    private record Planned(PaperClient client, Class<? extends Request> type, Course course) {}

    private record Happening(long at, long number, Runnable what) implements Comparable<Happening> {
        @Override
        public int compareTo(Happening other) {
            return at == other.at ? Long.compare(number, other.number) : Long.compare(at, other.at);
        }
    }

    final StorageRules rules;
    final RandomGenerator random;
    final List<PaperClient> clients = new ArrayList<>();
    Courses courses = (client, request) -> Course.USUAL;

    private final Map<String, PaperRegister> registers = new HashMap<>();
    private final PriorityQueue<Happening> agenda = new PriorityQueue<>();
    private final List<Planned> planned = new ArrayList<>();
    private long millis;
    private long happenings;
    private int mostHolders;

    /** Clocks of equal rates, as in the paper. */
    PaperStore(Form form) {
        this(form, 0, () -> 0);
    }

    /** @param drift the bound on the rates of clocks */
    PaperStore(Form form, double drift, RandomGenerator random) {
        this.rules = new StorageRules(
                new Timing(Duration.ofMillis(LEASE), drift),
                nanos(DELTA),
                form == Form.COMPARE_AND_SET,
                form == Form.EVENTUAL);
        this.random = random;
    }

    static long nanos(long millis) {
        return millis * MILLI;
    }

    /** One more client, which no other was told of. */
    PaperClient client(String name) {
        return client(name, 1);
    }

    /** @param rate of its clock */
    PaperClient client(String name, double rate) {
        PaperClient client = new PaperClient(this, name, clients.size(), rate);
        clients.add(client);
        return client;
    }

    long millis() {
        return millis;
    }

    /** What becomes of the next access of that kind by that client. */
    void plan(PaperClient client, Class<? extends Request> type, Course course) {
        planned.add(new Planned(client, type, course));
    }

    /** Time passes; what falls due on the way happens. */
    void pass(long time) {
        settle();
        for (long end = millis + time; millis < end; ) {
            millis++;
            settle();
        }
    }

    /** Until a client holds the lease, or that much time has passed. */
    void passUntilHeld(long limit) {
        for (long end = millis + limit; millis < end && holders() == 0; ) {
            pass(1);
        }
    }

    private void settle() {
        boolean busy = true;
        for (int rounds = 0; busy; rounds++) {
            busy = false;
            assertThat(rounds).as("as if time stood still").isLessThan(MOST_ROUNDS);
            for (Happening due = next(); due != null; due = next()) {
                due.what().run();
                busy = true;
            }
            for (PaperClient client : clients) {
                busy |= client.wakeIfDue();
            }
        }
    }

    private @Nullable Happening next() {
        Happening first = agenda.peek();
        return first == null || first.at() > millis ? null : agenda.poll();
    }

    /** How many clients rely on the lease now. */
    int holders() {
        return (int) clients.stream().filter(PaperClient::holds).count();
    }

    /** The most that have relied on it at once since the last call. */
    int mostHolders() {
        int most = mostHolders;
        mostHolders = holders();
        return most;
    }

    void believed() {
        mostHolders = Math.max(mostHolders, holders());
    }

    private void after(long time, Runnable what) {
        if (time >= 0) {
            agenda.add(new Happening(millis + time, happenings++, what));
        }
    }

    void serve(PaperClient client, Request request) {
        Course course = courseOf(client, request);
        int life = client.life();
        after(course.begins(), () -> begin(client, life, request, course));
    }

    private Course courseOf(PaperClient client, Request request) {
        for (Planned plan : planned) {
            if (plan.client() == client && plan.type().isInstance(request)) {
                planned.remove(plan);
                return plan.course();
            }
        }
        return courses.of(client, request);
    }

    /** The register of the lease, or its release record. */
    private PaperRegister register(Request request) {
        String name = request.ofRelease() ? "release of " + request.name() : request.name();
        return registers.computeIfAbsent(name, each -> new PaperRegister());
    }

    /** What is in the lease's own register now. */
    @Nullable
    Stamp stamp() {
        PaperRegister register = registers.get("r");
        Content content = register == null ? null : register.latest().content;
        return content == null ? null : StampCodec.decode(content);
    }

    /** The lease's own register gets a stamp like that one, of another client. */
    void overwrite(String owner, Stamp like) {
        Stamp stamp = new Stamp(
                new NodeId(owner),
                new Incarnation(-1, -1),
                1,
                2 * like.sequence() + 1,
                2 * like.sequence() + 1,
                like.leaseNanos(),
                like.accessNanos(),
                like.compares(),
                like.readers(),
                like.state());
        PaperRegister register = Objects.requireNonNull(registers.get("r"));
        PaperRegister.Write write = register.begin(StampCodec.encode(stamp));
        register.place(write);
        write.complete = true;
    }

    private void begin(PaperClient client, int life, Request request, Course course) {
        if (!client.now().moment().isBefore(request.latest())) {
            client.hear(life, new Failed(request.access(), "late"));
            return;
        }
        PaperRegister register = register(request);
        Answering answering =
                request instanceof Read read ? reading(register, read, course) : writing(register, request, course);
        after(course.answered() - course.begins(), () -> {
            RegisterMessage.Answer answer = answering.end();
            client.hear(life, course.fails() ? new Failed(request.access(), "failed") : answer);
        });
    }

    private interface Answering {
        RegisterMessage.Answer end();
    }

    private Answering reading(PaperRegister register, Read read, Course course) {
        PaperRegister.Write complete = register.latestComplete();
        PaperRegister.Write[] present = {complete};
        after(course.takesEffect() - course.begins(), () -> present[0] = register.latest());
        return () -> {
            PaperRegister.Write seen =
                    switch (course.sight()) {
                        case OLD -> complete;
                        case PRESENT -> present[0];
                        case NEW -> register.latestBegun();
                    };
            return new Value(read.access(), seen.content);
        };
    }

    private Answering writing(PaperRegister register, Request request, Course course) {
        CompareAndSet compared = request instanceof CompareAndSet put ? put : null;
        Content content = compared == null ? ((Write) request).content() : compared.content();
        PaperRegister.Write write = register.begin(content);
        boolean[] replaced = {compared == null};
        if (course.takesEffect() == NEVER) {
            register.abandon(write);
        } else {
            after(course.takesEffect() - course.begins(), () -> {
                if (compared == null || Objects.equals(register.latest().content, compared.expected())) {
                    register.place(write);
                    replaced[0] = true;
                } else {
                    register.abandon(write);
                }
            });
        }
        // Also when its client does not wait for it any more: a write is under way for a bounded time.
        after(Math.max(course.takesEffect(), course.answered()) - course.begins(), () -> write.complete = true);
        return () -> new Done(request.access(), replaced[0]);
    }
}
