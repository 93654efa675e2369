package io.paxoslease.samples.shards;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.samples.shards.Database.Placed;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The tables accept what must not happen, and the audit finds it. */
class DatabaseTest {

    private final Database database;

    DatabaseTest() throws SQLException {
        database = Database.open(ShardsOptions.parse());
        database.place(List.of(order(1), order(2), order(3)));
    }

    private static Placed order(long id) {
        return new Placed(id, 7, "customer-1", "lamp");
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void ordersThatWereShippedOnceAreInOrder() throws SQLException {
        ship(1);
        ship(2);
        ship(3);
        assertThat(database.audit(3).isClean()).isTrue();
    }

    @Test
    void anOrderThatIsShippedAndThenShippedAgainIsFound() throws SQLException {
        ship(1);
        ship(2);
        ship(3);
        ship(2);
        assertThat(database.audit(3)).hasToString("Orders 1 to 3: missing none, twice 2.");
    }

    @Test
    void anOrderThatSaysThatItWasShippedIsFoundIfItWasNot() throws SQLException {
        ship(1);
        ship(3);
        execute("update shards_sample_orders set shipped_by = 'n1' where id = 2");
        assertThat(database.due()).isZero();
        assertThat(database.audit(3)).hasToString("Orders 1 to 3: missing 2, twice none.");
    }

    @Test
    void anOrderThatWaitsIsDue() throws SQLException {
        ship(1);
        assertThat(database.due()).isEqualTo(2);
        assertThat(database.audit(3)).hasToString("Orders 1 to 3: missing 2, 3, twice none.");
    }

    private void ship(long order) throws SQLException {
        execute("insert into shards_sample_shipments (order_id, shipped_by, token) values (%d, 'n1', 1)"
                .formatted(order));
        execute("update shards_sample_orders set shipped_by = 'n1' where id = " + order);
    }

    /** As an instance does: on a connection of its own. */
    private void execute(String sql) throws SQLException {
        Map<String, String> how = database.environment();
        try (Connection connection = DriverManager.getConnection(
                        how.get("SPRING_DATASOURCE_URL"),
                        how.get("SPRING_DATASOURCE_USERNAME"),
                        how.get("SPRING_DATASOURCE_PASSWORD"));
                Statement statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        }
    }
}
