package io.paxoslease.membership;

import io.paxoslease.jdbc.RunsPostgres;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.extension.ExtendWith;
import org.postgresql.ds.PGConnectionPoolDataSource;

@ExtendWith(RunsPostgres.class)
class PostgresMembershipStoreTest extends JdbcMembershipStoreContract {

    PostgresMembershipStoreTest() {
        super(JdbcConnectionPool.create(server()));
    }

    private static PGConnectionPoolDataSource server() {
        PGConnectionPoolDataSource server = new PGConnectionPoolDataSource();
        server.setUrl(RunsPostgres.url());
        return server;
    }
}
