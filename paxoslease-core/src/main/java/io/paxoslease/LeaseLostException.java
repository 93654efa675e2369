package io.paxoslease;

import java.util.ConcurrentModificationException;

/**
 * A lock whose lease ended while a thread still held it: another node may have held it since. What was done under
 * the lock may have run beside another holder's work; compare fencing tokens where it matters.
 *
 * <p>It extends {@link ConcurrentModificationException}, which is what Spring Integration's lock registries throw from
 * {@code unlock()} in this case.
 */
public final class LeaseLostException extends ConcurrentModificationException {

    private static final long serialVersionUID = 1L;

    /** @param message which lock, and what happened to its lease */
    public LeaseLostException(String message) {
        super(message);
    }
}
