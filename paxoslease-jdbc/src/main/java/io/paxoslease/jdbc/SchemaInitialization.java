package io.paxoslease.jdbc;

/** Which databases get a table that is missing. */
public enum SchemaInitialization {
    /** None: a migration creates the table. */
    NEVER,
    /** Databases in this process's memory: H2, HSQLDB and Derby. */
    EMBEDDED,
    /** All of them. */
    ALWAYS
}
