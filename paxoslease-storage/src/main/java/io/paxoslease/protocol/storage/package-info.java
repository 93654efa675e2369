/** Internal: leases in shared storage, any number of clients, one register for each lease. Pure, as {@link io.paxoslease.protocol}. */
@NullMarked
package io.paxoslease.protocol.storage;

import org.jspecify.annotations.NullMarked;
