package io.paxoslease.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.GenerationOptions;
import io.paxoslease.Membership;
import io.paxoslease.MembershipStore;
import io.paxoslease.jdbc.JdbcMembershipStore;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What a table keeps in every database. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class JdbcMembershipStoreContract extends MembershipStoreContract {

    private final JdbcConnectionPool pool;

    /** @param pool is closed after the last test */
    JdbcMembershipStoreContract(JdbcConnectionPool pool) {
        this.pool = pool;
    }

    @AfterAll
    void closePool() {
        pool.dispose();
    }

    @BeforeEach
    void empty() throws SQLException, IOException {
        open("none").read(); // creates the table
        execute("delete from paxoslease_membership");
    }

    @Override
    MembershipStore open(String cell) {
        return new JdbcMembershipStore(pool, cell).withInitializedSchema();
    }

    @Override
    void damage(String text) throws SQLException {
        try (Connection connection = pool.getConnection();
                PreparedStatement statement =
                        connection.prepareStatement("update paxoslease_membership set content = ?")) {
            statement.setString(1, text);
            statement.executeUpdate();
        }
    }

    void execute(String sql) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void cellsAreRowsOfOneTable() throws IOException {
        open(CELL).replace(null, membership(1, "a"));
        assertThat(open("Shop").read()).isNull();
        assertThat(open("Shop").replace(null, membership(1, "b"))).isTrue();
        assertThat(open(CELL).read()).isEqualTo(membership(1, "a"));
    }

    @Test
    void aTableThatIsMissingIsAnErrorWithWhatCreatesIt() throws Exception {
        MembershipStore store = new JdbcMembershipStore(pool, CELL).withTable("cells_of_mine");
        assertThatThrownBy(store::read)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Cannot read the table cells_of_mine of ")
                .hasMessageContaining("create table cells_of_mine (");
        execute("create table cells_of_mine (name varchar(255) not null primary key,"
                + " digest varchar(64) not null, content varchar(6000) not null)");
        assertThat(store.read()).isNull(); // and is asked again
        assertThat(store.replace(null, membership(1, "a"))).isTrue();
        assertThat(store.read()).isEqualTo(membership(1, "a"));
        execute("drop table cells_of_mine");
        assertThatThrownBy(store::read)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Cannot read 'shop' in the table cells_of_mine");
        assertThatThrownBy(() -> store.replace(membership(1, "a"), membership(2, "a")))
                .isInstanceOf(IOException.class);
    }

    /** A row that people correct is replaced like any other. */
    @Test
    void aRowThatWasCorrectedByHandIsRead() throws Exception {
        MembershipStore store = open(CELL);
        store.replace(null, membership(1, "a"));
        damage("""
                format=1
                cell=shop
                generation=3
                peers.x=10.0.0.9:7400
                max-lease-time=5s
                clock-drift=0.1
                end
                """);
        Membership found = store.read();
        assertThat(generation(store)).isEqualTo(3);
        assertThat(store.replace(found, membership(4, "a"))).isTrue();
        assertThat(store.read()).isEqualTo(membership(4, "a"));
    }

    @Test
    void moreMembersThanARowHasRoomForAreRefused() throws IOException {
        Map<String, InetSocketAddress> peers = new LinkedHashMap<>();
        for (int i = 0; i < 60; i++) {
            peers.put(
                    "member-" + i + "-of-a-cell-whose-members-have-long-names",
                    InetSocketAddress.createUnresolved("host-" + i + ".with-a-long-name.example.org", 7400));
        }
        Membership large = new Membership(GenerationOptions.first(), peers, Duration.ofSeconds(5), 0.1, false);
        assertThatThrownBy(() -> open(CELL).replace(null, large))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("a row has room for 6000; keep them in a file or a config map");
        assertThat(open(CELL).read()).isNull();
    }

    @Test
    void aTableIsNamedPlainly() {
        assertThatThrownBy(() -> new JdbcMembershipStore(pool, CELL).withTable("a; drop table b"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is no table name");
    }
}
