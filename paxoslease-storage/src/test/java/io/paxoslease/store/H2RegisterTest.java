package io.paxoslease.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import org.h2.jdbcx.JdbcConnectionPool;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
@Tag("jdk")
class H2RegisterTest extends JdbcRegisterContract {

    H2RegisterTest() {
        super(JdbcConnectionPool.create("jdbc:h2:mem:h2-register;DB_CLOSE_DELAY=-1", "sa", ""));
    }

    @Test
    void aUserWhoMayOnlyReadIsRefused() throws IOException, SQLException {
        open().check();
        execute("create user if not exists reader password 'reader'");
        execute("grant select on paxoslease_register to reader");
        assertThatThrownBy(new JdbcRegister(database("reader"))::check)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Cannot write to the table paxoslease_register of H2")
                .hasMessageContaining("Grant select, insert, update and delete");
        for (String only : new String[] {"update", "insert"}) {
            execute("grant " + only + " on paxoslease_register to reader");
            assertThatThrownBy(new JdbcRegister(database("reader"))::check).hasMessageContaining("Cannot write");
            execute("revoke " + only + " on paxoslease_register from reader");
        }
        execute("grant update, insert, delete on paxoslease_register to reader");
        new JdbcRegister(database("reader")).check();
    }

    @Test
    void connectionsThatReadWhatIsNotCommittedAreRefused() throws SQLException {
        try (var connection = dataSource().getConnection()) {
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_UNCOMMITTED);
            assertThatThrownBy(new JdbcRegister(OneConnection.of(connection))::check)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("Set the data source's transaction isolation to 'read committed'");
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        }
    }

    @Test
    void aDatabaseThatIsNotThereIsAnErrorThatSaysWhatWasTried() {
        JdbcDataSource closed = new JdbcDataSource();
        closed.setURL("jdbc:h2:tcp://127.0.0.1:1/nothing");
        Register register = new JdbcRegister(closed);
        assertThatThrownBy(register::check)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Cannot reach the database of the table paxoslease_register")
                .hasMessageContaining("check the data source's URL, user and password");
        assertThatThrownBy(() -> register.read("x"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Cannot read 'x' in the table paxoslease_register");
    }

    @Test
    void aRowThatNobodyWroteIsAnError() throws IOException, SQLException {
        Register register = open();
        register.write("theirs", bytes("1"));
        register.write("other", bytes("2"));
        execute("update paxoslease_register set content = 'nonsense!' where name = 'theirs'");
        assertThatThrownBy(() -> register.read("theirs"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("that are no register");
        execute(
                "update paxoslease_register set content = (select content from paxoslease_register where name = 'other')"
                        + " where name = 'theirs'");
        assertThatThrownBy(() -> register.read("theirs"))
                .hasMessageContaining("holds the register 'other' in the place of 'theirs'");
        execute("delete from paxoslease_register where name = 'theirs'");
    }

    @Test
    void itIsDescribedWithoutSecrets() throws IOException {
        Register register = open();
        assertThat(register.describe()).isEqualTo("table paxoslease_register");
        register.check();
        assertThat(register.describe()).isEqualTo("table paxoslease_register of H2");
    }

    private static JdbcDataSource database(String user) {
        JdbcDataSource database = new JdbcDataSource();
        database.setURL("jdbc:h2:mem:h2-register");
        database.setUser(user);
        database.setPassword(user);
        return database;
    }
}
