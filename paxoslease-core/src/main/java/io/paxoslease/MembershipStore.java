package io.paxoslease;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the generation of a cell outside its members (section 9): with a store no member votes below the generation that is stored,
 * and the members can change without a restart. One store object serves one cell. It is read when a node starts and when it hears of a
 * change, and written at a change; no lease ever waits for it. Any thread may call it, and both methods may block.
 */
public interface MembershipStore {

    /**
     * What is stored.
     *
     * @return null when nothing is stored for this cell: a member that starts then stores what it is configured with, and one that runs stores
     *     the generation that it knows to be sealed
     * @throws IOException when the store cannot be read, or holds what cannot be understood; the message says which store, and what to do
     */
    @Nullable
    Membership read() throws IOException;

    /**
     * Stores the membership if what is stored still is the expected one, in one atomic step.
     *
     * @param expected what was read; null: nothing was stored
     * @return whether {@code next} is stored now; false: another node was faster, so read again
     * @throws IOException when it is not known whether it is stored; read again
     */
    boolean replace(@Nullable Membership expected, Membership next) throws IOException;

    /** Where it keeps the membership, for people: {@code file /var/lib/shop/cell}. */
    String describe();
}
