package io.paxoslease.store;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A table that cannot be used as it is: it is missing, has other columns, or is in a database that does not keep what it promises. */
public final class TableException extends IOException {

    private static final long serialVersionUID = 1L;

    private final String description;
    private final String action;

    TableException(String description, String action, @Nullable Throwable cause) {
        super(description + ". " + action, cause);
        this.description = description;
        this.action = action;
    }

    /** What is wrong, without a full stop. */
    public String description() {
        return description;
    }

    /** What to change. Where a statement creates the table, it is at the end, on one line. */
    public String action() {
        return action;
    }
}
