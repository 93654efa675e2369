package io.paxoslease;

import io.paxoslease.protocol.Printable;
import org.jspecify.annotations.Nullable;

/** An option of {@link PaxosLeaseOptions} that cannot work. Thrown before anything is started. */
public final class InvalidOptionException extends PaxosLeaseException {

    private static final long serialVersionUID = 1L;

    private final String option;
    private final String value;
    private final String reason;

    /**
     * @param option the builder method's name, for instance {@code leaseTime}
     * @param value the value that was given
     * @param reason what is wrong with it, and what to change
     */
    public InvalidOptionException(String option, @Nullable Object value, String reason) {
        super("Option '%s' = '%s': %s".formatted(option, Printable.text(value), reason));
        this.option = option;
        this.value = Printable.text(value);
        this.reason = reason;
    }

    /** The name of the builder method that takes the option. */
    public String option() {
        return option;
    }

    /** The value that was given, as text on one line. */
    public String value() {
        return value;
    }

    /** What is wrong with the value, and what to change. */
    public String reason() {
        return reason;
    }
}
