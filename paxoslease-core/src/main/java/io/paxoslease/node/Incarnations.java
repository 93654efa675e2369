package io.paxoslease.node;

import io.paxoslease.protocol.Incarnation;
import java.security.SecureRandom;
import java.util.function.Supplier;

/** Draws incarnations: all 128 bits from the JDK's secure source (section 2). */
final class Incarnations implements Supplier<Incarnation> {

    private final SecureRandom random = new SecureRandom();

    @Override
    public Incarnation get() {
        return new Incarnation(random.nextLong(), random.nextLong());
    }
}
