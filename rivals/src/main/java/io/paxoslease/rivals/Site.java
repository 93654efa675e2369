package io.paxoslease.rivals;

import java.util.List;

/**
 * Where the servers or members are, and how the product is set up.
 *
 * @param addresses {@code host:port} of each server; of each member for products that run inside the application
 * @param tuning which times to use
 * @param heldLong whether locks will be held longer than a lease lasts, so that they have to be renewed
 */
public record Site(List<String> addresses, Tuning tuning, boolean heldLong) {

    public Site {
        addresses = List.copyOf(addresses);
    }

    /** Whether short leases are asked for. */
    public boolean isTuned() {
        return tuning == Tuning.TUNED;
    }

    /** Whether thousands of clients share this process, and so threads where the product lets them. */
    public boolean isCrowded() {
        return tuning == Tuning.CROWD;
    }

    /** The port of one server. */
    public int port(int index) {
        String address = addresses.get(index);
        return Integer.parseInt(address.substring(address.indexOf(':') + 1));
    }
}
