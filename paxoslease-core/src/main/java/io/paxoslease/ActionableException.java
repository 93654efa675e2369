package io.paxoslease;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A store of members or leases cannot be used, and its message says what to do. The node repeats that in its own errors and log. */
public class ActionableException extends IOException {

    private static final long serialVersionUID = 1L;

    private final String description;
    private final String action;

    /**
     * Describes the problem.
     *
     * @param description the problem, without an end of the sentence
     * @param action what to do, in whole sentences
     */
    public ActionableException(String description, String action, @Nullable Throwable cause) {
        super(description + ". " + action, cause);
        this.description = description;
        this.action = action;
    }

    /** The problem, without an end of the sentence. */
    public String description() {
        return description;
    }

    /** What to do, in whole sentences. */
    public String action() {
        return action;
    }
}
