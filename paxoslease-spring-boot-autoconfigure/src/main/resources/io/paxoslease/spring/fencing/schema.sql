-- The largest fencing token seen so far, for each resource that a JdbcFence guards. Do not delete rows: without its
-- row an old token would pass. Works on H2, PostgreSQL, MySQL and MariaDB. Copy it into a migration (Flyway, Liquibase),
-- or let PaxosLease create the table: paxoslease.jdbc.initialize-schema=always
create table if not exists paxoslease_fence (
    resource varchar(255) not null primary key,
    token    bigint       not null
);
