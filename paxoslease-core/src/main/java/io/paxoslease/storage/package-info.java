/** Leases in shared storage: any number of clients, one register for each lease, and no cell of peers. */
@NullMarked
package io.paxoslease.storage;

import org.jspecify.annotations.NullMarked;
