/** Tables: the store of the members in one. */
@NullMarked
package io.paxoslease.jdbc;

import org.jspecify.annotations.NullMarked;
