package io.paxoslease.store;

import io.paxoslease.protocol.Printable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * The statements for one table.
 *
 * @param name becomes part of statements, so it is a plain name, optionally with schema and catalog
 */
record JdbcTable(String name) {

    static final String DEFAULT = "paxoslease_register";

    private static final Pattern NAME = Pattern.compile("[A-Za-z_]\\w*(\\.[A-Za-z_]\\w*){0,2}");
    private static final String NEVER = " where 1 = 0";

    JdbcTable {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "'%s' is no table name: use letters, digits and underscores, such as 'leases' or 'billing.leases'"
                            .formatted(Printable.name(name)));
        }
    }

    String select() {
        return "select content, digest from " + name + " where name = ?";
    }

    String list() {
        return "select content from " + name + " where name like ?";
    }

    String update() {
        return "update " + name + " set content = ?, digest = ? where name = ?";
    }

    String replace() {
        return update() + " and digest = ?";
    }

    String insert() {
        return "insert into " + name + " (name, digest, content) values (?, ?, ?)";
    }

    String delete() {
        return "delete from " + name + " where name = ?";
    }

    /** Fails when the table is not there, or is another one. */
    String readProbe() {
        return "select name, digest, content from " + name + NEVER;
    }

    /** Changes nothing, and fails where an update would. */
    String updateProbe() {
        return "update " + name + " set content = content, digest = digest" + NEVER;
    }

    /** Inserts nothing, and fails where an insert would. */
    String insertProbe() {
        return "insert into " + name + " (name, digest, content) select name, digest, content from " + name + NEVER;
    }

    /** What creates it, in words that every database knows. */
    String create() {
        return schema().replaceAll("(?m)^--.*\\R", "")
                .replace("if not exists ", "")
                .replace(DEFAULT, name)
                .replace(";", "")
                .strip();
    }

    private static String schema() {
        try (InputStream in = JdbcTable.class.getResourceAsStream("schema.sql")) {
            if (in == null) {
                throw new IllegalStateException("schema.sql is missing in the jar beside " + JdbcTable.class.getName());
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String describe() {
        return "table " + name;
    }
}
