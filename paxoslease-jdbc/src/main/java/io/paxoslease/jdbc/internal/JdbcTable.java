package io.paxoslease.jdbc.internal;

import io.paxoslease.protocol.Printable;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The statements for one table.
 *
 * @param name becomes part of statements, so it is a plain name, optionally with schema and catalog
 */
public record JdbcTable(String name) {

    public static final String DEFAULT = "paxoslease_register";

    /** Of each part at most 63 characters: PostgreSQL cuts off the rest, and other databases refuse it. */
    private static final Pattern NAME = Pattern.compile("[A-Za-z_]\\w{0,62}(\\.[A-Za-z_]\\w{0,62}){0,2}");

    public JdbcTable {
        checked(name);
    }

    /**
     * The same name.
     *
     * @throws IllegalArgumentException if it is not a plain name, optionally with schema and catalog
     */
    public static String checked(String table) {
        if (!NAME.matcher(table).matches()) {
            throw new IllegalArgumentException(
                    "'%s' is no table name: use letters, digits and underscores, at most 63 in each part, such as 'leases' or 'billing.leases'"
                            .formatted(Printable.name(table)));
        }
        return table;
    }

    public String select() {
        return "select content, digest from " + name + " where name = ?";
    }

    public String list() {
        return "select content from " + name + " where name like ?";
    }

    public String update() {
        return "update " + name + " set content = ?, digest = ? where name = ?";
    }

    public String replace() {
        return update() + " and digest = ?";
    }

    public String insert() {
        return "insert into " + name + " (name, digest, content) values (?, ?, ?)";
    }

    public String delete() {
        return "delete from " + name + " where name = ?";
    }

    public TableCheck check() {
        return new TableCheck(
                name,
                List.of("name"),
                List.of("digest", "content"),
                TableCheck.statement(JdbcTable.class, "/io/paxoslease/jdbc/schema.sql", DEFAULT, name));
    }

    public String describe() {
        return "table " + name;
    }
}
