package io.paxoslease.testing;

import io.paxoslease.AlgorithmOptions;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The options of an algorithm that no module has: for rules that hold for PaxosLease alone. */
public record OtherAlgorithm() implements AlgorithmOptions {

    @Override
    public String algorithm() {
        return "other";
    }

    @Override
    public boolean hasMembers() {
        return true;
    }

    @Override
    public @Nullable Duration defaultLeaseTime() {
        return null;
    }

    @Override
    public void check(Set<String> peers, boolean tls, Duration leaseTime, Duration maxLeaseTime, double clockDrift) {}
}
