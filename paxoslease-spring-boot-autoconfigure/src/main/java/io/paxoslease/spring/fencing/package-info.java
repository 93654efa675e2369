/**
 * Keeps a former leader's late write out of a database: the database compares fencing tokens. Needs
 * {@code spring-jdbc}; no other package of this library does.
 */
@NullMarked
package io.paxoslease.spring.fencing;

import org.jspecify.annotations.NullMarked;
