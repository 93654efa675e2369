-- The largest fencing token seen so far, for each resource that a JdbcFence guards. Rows are never deleted: a row that is
-- gone would let an old token pass. As it is for H2, PostgreSQL, MySQL and MariaDB; copy it into a migration (Flyway,
-- Liquibase), or let Spring Boot run it:
--
--   spring.sql.init.mode=always
--   spring.sql.init.schema-locations=classpath:io/paxoslease/spring/fencing/schema.sql
create table if not exists paxoslease_fence (
    resource varchar(255) not null primary key,
    token    bigint       not null
);
