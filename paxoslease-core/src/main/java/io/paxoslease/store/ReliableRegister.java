package io.paxoslease.store;

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
 * <p>A base store must compare and set, or list its names; what this register stores in it is of no use without this
 * register. The same base stores must be given to every client. Reads and writes only.
 *
 * <p>Each base store is called on a few daemon threads. One that hangs holds these up, and no others: it is passed over
 * until it answers. Threads end when they have been idle for a while; there is nothing to close.
 */
public final class ReliableRegister implements Register {

    /** The longest content, in bytes: the rest is for stamps. */
    public static final int MAX_BYTES = Register.MAX_BYTES - Stamped.FRAME;

    /** The first contact opens connections and creates what is missing. */
    private static final Duration CHECK_PATIENCE = Duration.ofSeconds(5);

    private final ReplicaSet bases;
    private final int longestName;
    private final boolean listsNames;
    private final long writer;
    private final AtomicLong writes = new AtomicLong();

    /**
     * @param bases an odd number of independent stores, three or more
     * @param patience how long a majority may take to answer; an access asks twice, so half of the access bound or less
     * @param random tells this writer from all others that ever write: seeded by nothing that two of them share
     * @throws IllegalArgumentException when the number is even or below three, or a store cannot be used
     */
    public ReliableRegister(List<? extends Register> bases, Duration patience, RandomGenerator random) {
        this(bases, patience, CHECK_PATIENCE, random);
    }

    ReliableRegister(
            List<? extends Register> bases, Duration patience, Duration checkPatience, RandomGenerator random) {
        if (bases.size() < 3 || bases.size() % 2 == 0) {
            throw new IllegalArgumentException(
                    "A reliable register needs 3, 5 or more stores, an odd number, not %d".formatted(bases.size()));
        }
        if (patience.isNegative() || patience.isZero()) {
            throw new IllegalArgumentException("The patience must be positive, not " + patience);
        }
        List<MonotonicRegister> rising =
                bases.stream().map(MonotonicRegister::of).collect(Collectors.toUnmodifiableList());
        this.bases = new ReplicaSet(rising, patience, checkPatience, System::nanoTime);
        this.longestName = rising.stream().allMatch(MonotonicByCompareAndSet.class::isInstance)
                ? 255
                : MonotonicByName.LONGEST_NAME;
        this.listsNames = bases.stream().allMatch(Register::listsNames);
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
        return bases.ask(base -> new Answer(base.read(name)));
    }

    private void raise(String name, Stamped stamped) throws IOException {
        bases.ask(base -> {
            base.raise(name, stamped);
            return base;
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
                    "Over stores that only read and write, a reliable register's name has at most %d bytes of UTF-8, this one has %d: shorten it, or use a hash of it: '%s'"
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
        List<Collection<String>> answers = bases.ask(base -> base.names(prefix));
        return new ArrayList<>(
                answers.stream().flatMap(Collection::stream).collect(Collectors.toCollection(TreeSet::new)));
    }

    /** Checks every base store, which has seconds to answer. A majority has to be usable; what is wrong with the others is logged. */
    @Override
    public void check() throws IOException {
        bases.check();
    }

    /** Each is told of in the log, too. A store that hangs is found missing by the accesses that end without it. */
    @Override
    public Map<String, String> missing() {
        return bases.missing();
    }

    @Override
    public String describe() {
        return bases.describe();
    }
}
