package io.paxoslease.spring.fencing;

import io.paxoslease.protocol.Printable;
import java.util.regex.Pattern;

/** A table's name, which becomes part of statements. */
final class TableName {

    /** Of each part at most 63 characters: PostgreSQL cuts off the rest, and other databases refuse it. */
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z_]\\w{0,62}(\\.[A-Za-z_]\\w{0,62}){0,2}");

    private TableName() {}

    /** @throws IllegalArgumentException if it is not a plain name, optionally with schema and catalog */
    static String checked(String table) {
        if (!PLAIN.matcher(table).matches()) {
            throw new IllegalArgumentException(
                    "'%s' is no table name: use letters, digits and underscores, at most 63 in each part, such as 'fence' or 'billing.fence'"
                            .formatted(Printable.name(table)));
        }
        return table;
    }
}
