package io.paxoslease;

import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The algorithm that needs no further module. */
enum DefaultAlgorithm implements AlgorithmOptions {
    PAXOSLEASE;

    @Override
    public String algorithm() {
        return name().toLowerCase(Locale.ROOT);
    }

    @Override
    public boolean hasMembers() {
        return true;
    }

    @Override
    public @Nullable Duration defaultLeaseTime() {
        return null;
    }

    /** All of its rules are those of any node. */
    @Override
    public void check(Set<String> peers, boolean tls, Duration leaseTime, Duration maxLeaseTime, double clockDrift) {}
}
