-- One row for each lease that a JdbcRegister stores. As it is for H2, PostgreSQL, MySQL and MariaDB; on Oracle and SQL Server
-- without "if not exists", and on Oracle with a clob for the content. Names and contents are encoded in ASCII, so any character
-- set and collation will do. Copy it into a migration (Flyway, Liquibase), or let the register create the table.
create table if not exists paxoslease_register (
    name    varchar(255)  not null primary key,
    digest  varchar(64)   not null,
    content varchar(6000) not null
);
