package io.paxoslease.jdbc;

import io.paxoslease.ActionableException;
import org.jspecify.annotations.Nullable;

/**
 * A table that cannot be used as it is: it is missing, has other columns, or is in a database that does not keep what it promises. Where a
 * statement creates the table, it is at the end of {@link #action()}, on one line.
 */
public final class TableException extends ActionableException {

    private static final long serialVersionUID = 1L;

    /** Internal. */
    public TableException(String description, String action, @Nullable Throwable cause) {
        super(description, action, cause);
    }
}
