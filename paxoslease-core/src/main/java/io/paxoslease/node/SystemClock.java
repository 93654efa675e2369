package io.paxoslease.node;

import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Reading;

/** The clocks of this machine. */
public final class SystemClock implements NodeClock {

    /** Two readings this far apart do not make a pair: the thread was held up between them. */
    private static final long PAIR_NANOS = 1_000_000;

    private static final int TRIES = 16;

    /** The monotonic clock is read last: what is compared with a deadline is never older than this call's end. */
    @Override
    public Reading read() {
        long wallMicros = System.currentTimeMillis() * 1_000;
        return new Reading(new Moment(System.nanoTime()), wallMicros);
    }

    /** In the same order as {@link #read}. */
    @Override
    public long use(Use use) {
        long wallMicros = System.currentTimeMillis() * 1_000;
        return use.apply(System.nanoTime(), wallMicros);
    }

    /** Both clocks within a millisecond of each other, as far as the machine lets this thread run. */
    @Override
    public Reading readPair() {
        Reading pair = read();
        for (int i = 0; i < TRIES; i++) {
            long before = System.nanoTime();
            pair = read();
            if (pair.moment().nanos() - before < PAIR_NANOS) {
                return pair;
            }
        }
        return pair;
    }
}
