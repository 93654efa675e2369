package io.paxoslease.store;

import io.paxoslease.jdbc.internal.RegisterNames;
import io.paxoslease.protocol.Printable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One store made of 2t + 1, of which t may fail or hang: for instance directories on three file servers, or tables of three
 * databases. An access asks all of them at once and is complete when a majority has answered. A write looks for the highest stamp,
 * then stores a higher one; a read takes the highest stamp of a majority and, where they differ, first sees to it that a
 * majority has it. So all reads agree with one order of the writes, and no read goes back behind another.
 *
 * <p>A store that answers old content, as after a restore, counts as failed for that register until it is written again.
 *
 * <p>Each store must compare and set, or list its names; what this register stores in it is of no use without this
 * register. The same stores must be given to every client. Reads and writes only.
 *
 * <p>Each store is called on a few daemon threads. One that hangs holds these up, and no others: it is passed over
 * until it answers. Threads end when they have been idle for a while; there is nothing to close.
 */
public final class ReliableRegister implements Register {

    /** The longest content, in bytes: the rest is for stamps. */
    public static final int MAX_BYTES = Register.MAX_BYTES - Stamped.FRAME;

    /** The first contact opens connections and creates what is missing. */
    private static final Duration CHECK_TIMEOUT = Duration.ofSeconds(5);

    private final ReplicaSet replicas;
    private final int longestName;
    private final boolean listsNames;
    private final long writer;
    private final AtomicLong writes = new AtomicLong();

    /**
     * @param stores an odd number of independent stores, three or more
     * @param timeout how long a majority may take to answer; an access asks twice, so half of the access bound or less
     * @param random tells this writer from all others that ever write: seeded by nothing that two of them share
     * @throws IllegalArgumentException when the number is even or below three, or a store cannot be used
     */
    public ReliableRegister(List<? extends Register> stores, Duration timeout, RandomGenerator random) {
        this(stores, timeout, CHECK_TIMEOUT, random);
    }

    ReliableRegister(List<? extends Register> stores, Duration timeout, Duration checkTimeout, RandomGenerator random) {
        if (stores.size() < 3 || stores.size() % 2 == 0) {
            throw new IllegalArgumentException(
                    "A reliable register needs 3, 5 or more stores, an odd number, not %d".formatted(stores.size()));
        }
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("The timeout must be positive, not " + timeout);
        }
        List<MonotonicRegister> registers = stores.stream()
                .map(store -> new NeverBack(MonotonicRegister.of(store)))
                .collect(Collectors.toUnmodifiableList());
        this.replicas = new ReplicaSet(registers, timeout, checkTimeout, System::nanoTime);
        this.longestName = registers.stream()
                .mapToInt(MonotonicRegister::longestName)
                .min()
                .orElseThrow();
        this.listsNames = stores.stream().allMatch(Register::listsNames);
        this.writer = random.nextLong();
    }

    @Override
    public byte @Nullable [] read(String name) throws IOException {
        checkName(name);
        List<Answer> answers = ask(name);
        Stamped highest = highest(answers);
        if (highest == null) {
            return null;
        }
        for (Answer answer : answers) {
            Stamped found = answer.found();
            if (found == null || found.isBelow(highest)) {
                raise(name, highest); // or a later read could ask another majority, and miss it
                break;
            }
        }
        return highest.content();
    }

    @Override
    public void write(String name, byte[] content) throws IOException {
        checkName(name);
        RegisterNames.checkContent(content, MAX_BYTES);
        Stamped highest = highest(ask(name));
        long count = highest == null ? 1 : highest.count() + 1;
        raise(name, new Stamped(count, writer, writes.incrementAndGet(), content.clone()));
    }

    private record Answer(@Nullable Stamped found) {}

    private List<Answer> ask(String name) throws IOException {
        return replicas.ask(register -> new Answer(register.read(name)));
    }

    private void raise(String name, Stamped stamped) throws IOException {
        replicas.ask(register -> {
            register.raise(name, stamped);
            return register;
        });
    }

    private static @Nullable Stamped highest(List<Answer> answers) {
        Stamped highest = null;
        for (Answer answer : answers) {
            Stamped found = answer.found();
            if (found != null && (highest == null || highest.isBelow(found))) {
                highest = found;
            }
        }
        return highest;
    }

    private void checkName(String name) {
        int length = RegisterNames.check(name).length;
        if (length > longestName) {
            throw new IllegalArgumentException(
                    "Over these stores a reliable register's name has at most %d bytes of UTF-8, this one has %d: shorten it, or use a hash of it: '%s'"
                            .formatted(longestName, length, Printable.name(name)));
        }
    }

    @Override
    public boolean listsNames() {
        return listsNames;
    }

    @Override
    public List<String> names(String prefix) throws IOException {
        if (!listsNames) {
            return Register.super.names(prefix);
        }
        List<Collection<String>> answers = replicas.ask(register -> register.names(prefix));
        return new ArrayList<>(
                answers.stream().flatMap(Collection::stream).collect(Collectors.toCollection(TreeSet::new)));
    }

    /** Checks every store, which has seconds to answer. A majority has to be usable; what is wrong with the others is logged. */
    @Override
    public void check() throws IOException {
        replicas.check();
    }

    /** Each is told of in the log, too. A store that hangs is found missing by the accesses that end without it. */
    @Override
    public Map<String, String> missing() {
        return replicas.missing();
    }

    @Override
    public String describe() {
        return replicas.describe();
    }
}
