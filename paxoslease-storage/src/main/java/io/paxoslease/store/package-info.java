/**
 * Stores that clients lease by way of: a directory of a shared file system, a table of a database, and one reliable store made
 * of several that may fail.
 */
@NullMarked
package io.paxoslease.store;

import org.jspecify.annotations.NullMarked;
