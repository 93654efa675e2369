package io.paxoslease.benchmarks;

import io.paxoslease.store.JdbcRegister;
import io.paxoslease.store.Register;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.h2.jdbcx.JdbcConnectionPool;

/** A table of a database, with a name that no application uses. It is dropped in the end. */
final class ScaleTable implements ScaleStore {

    private static final String LEASES = "paxoslease_storage_scale";
    private static final String FLOOR = "paxoslease_storage_scale_floor";

    private final JdbcConnectionPool pool;
    private final JdbcRegister register;

    ScaleTable(JdbcConnectionPool pool, Duration accessBound) throws IOException {
        this.pool = pool;
        this.register =
                new JdbcRegister(pool).withTable(LEASES).withInitializedSchema().withAccessBound(accessBound);
        execute("drop table if exists " + LEASES);
        execute("drop table if exists " + FLOOR);
        execute("create table " + FLOOR + " (id integer primary key, written integer)");
        execute("insert into " + FLOOR + " values (1, 0)");
        register.check();
    }

    @Override
    public Register open() {
        return register;
    }

    @Override
    public void add(Map<String, byte[]> registers) throws IOException {
        for (int time = 0; time < 2; time++) {
            for (Map.Entry<String, byte[]> each : registers.entrySet()) {
                register.write(each.getKey(), each.getValue());
            }
        }
    }

    /** Updates one row of another table of the database. */
    @Override
    public Histogram floor(int writes) throws IOException {
        Histogram nanos = new Histogram(3);
        try {
            for (int i = 0; i < writes; i++) {
                long begin = System.nanoTime();
                try (Connection connection = pool.getConnection();
                        PreparedStatement update = connection.prepareStatement(
                                "update " + FLOOR + " set written = written + 1 where id = 1")) {
                    update.executeUpdate();
                }
                nanos.recordValue(System.nanoTime() - begin);
            }
        } catch (SQLException e) {
            throw new IOException("Cannot write to the table %s: %s".formatted(FLOOR, e.getMessage()), e);
        }
        return nanos;
    }

    private void execute(String sql) throws IOException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IOException("The database refuses '%s': %s".formatted(sql, e.getMessage()), e);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            execute("drop table " + LEASES);
            execute("drop table " + FLOOR);
        } finally {
            pool.dispose();
        }
    }
}
