package io.paxoslease.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.MembershipStore;
import io.paxoslease.jdbc.JdbcMembershipStore;
import java.io.IOException;
import org.h2.jdbcx.JdbcConnectionPool;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class H2MembershipStoreTest extends JdbcMembershipStoreContract {

    H2MembershipStoreTest() {
        super(JdbcConnectionPool.create("jdbc:h2:mem:h2-membership;DB_CLOSE_DELAY=-1", "sa", ""));
    }

    @Test
    void itIsDescribedWithoutSecrets() throws IOException {
        MembershipStore store = open(CELL);
        store.read();
        assertThat(store.describe()).isEqualTo("row 'shop' of the table paxoslease_membership of H2");
    }

    @Test
    void aDatabaseThatIsNotThereIsAnErrorThatSaysWhatWasTried() {
        JdbcDataSource closed = new JdbcDataSource();
        closed.setURL("jdbc:h2:tcp://127.0.0.1:1/nothing");
        MembershipStore store = new JdbcMembershipStore(closed, CELL);
        assertThatThrownBy(store::read)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Cannot reach the database of the table paxoslease_membership")
                .hasMessageContaining("check the data source's URL, user and password");
        assertThatThrownBy(() -> store.replace(null, membership(1, "a"))).isInstanceOf(IOException.class);
    }
}
