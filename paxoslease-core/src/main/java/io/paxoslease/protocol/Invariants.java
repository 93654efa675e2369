package io.paxoslease.protocol;

/** Checks that stay on in production: a broken invariant stops the node's participation, and silence is safe. */
public final class Invariants {

    private Invariants() {}

    /** Throws {@link IllegalStateException} when it does not hold. */
    public static void check(boolean holds, String what, Object subject) {
        if (!holds) {
            throw new IllegalStateException("Broken invariant: " + what + ": " + Printable.text(subject));
        }
    }
}
