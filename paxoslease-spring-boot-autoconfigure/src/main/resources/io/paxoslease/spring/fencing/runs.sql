-- The latest run of each scheduled method that JdbcRuns records: its slot in seconds since 1970, the fencing token of the leader
-- that began it, and whether it is finished. Works on H2, PostgreSQL, MySQL and MariaDB. Copy it into a migration (Flyway,
-- Liquibase), or let PaxosLease create the table: paxoslease.jdbc.initialize-schema=always
create table if not exists paxoslease_runs (
    cell_name varchar(128) not null,
    role_name varchar(255) not null,
    task_name varchar(255) not null,
    slot      bigint       not null,
    token     bigint       not null,
    finished  boolean      not null,
    primary key (cell_name, role_name, task_name)
);
