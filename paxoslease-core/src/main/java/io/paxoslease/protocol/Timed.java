package io.paxoslease.protocol;

import org.jspecify.annotations.Nullable;

/** Something that {@link Timers} wake. */
public abstract class Timed {

    /** The earliest moment at which it has something to do; the timers hold the same. */
    @Nullable
    Moment wakeAt;
}
