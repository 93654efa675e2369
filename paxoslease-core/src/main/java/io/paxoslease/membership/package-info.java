/**
 * Stores of the members of a cell, each for one way to share what must outlive a process: a file on a shared volume, a row of a database.
 */
@NullMarked
package io.paxoslease.membership;

import org.jspecify.annotations.NullMarked;
