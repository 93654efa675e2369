package io.paxoslease.store;

import io.paxoslease.protocol.Printable;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Over a store that only reads, writes and lists: every raise writes a version of its own, whose id is the stamp and a random number. The highest
 * counts. Lower ones are deleted, by any client and at any time. A write that lands late adds a version that is not the highest.
 *
 * <p>Let <em>top</em> be the highest stamp that was ever written. A version is deleted only by a raise that has written a higher one, so
 * a version of the top always exists. A listing can miss it: while it is under way, another client may write a higher version, which the listing
 * passes over, and delete the old one. What is left to be seen is an older version that landed late, or nothing. Therefore:
 *
 * <ul>
 *   <li>A reader answers a version that it found in one listing, if the next listing has nothing higher, and the version exists after that. It
 *       is the top at the moment between the two listings: had the second one missed a higher top of that moment, a raise would have deleted
 *       that top meanwhile. This raise has written a version above it, so after that moment, then listed what to delete, and so found the
 *       answered version, which existed throughout. It deletes from the lowest upwards, so the answered version would be gone.
 *   <li>A raise lists what to delete after it has written its own version, for that reason, and in ascending order.
 *   <li>No version is written twice: one that was deleted never comes back.
 *   <li>Before a raise deletes anything, and before it returns, there is a marker, which is never deleted. Without a marker
 *       nothing was deleted yet, so an empty listing means that nothing was written. With a marker, an empty listing is repeated.
 * </ul>
 *
 * @param versions of the registers of that store
 * @param random makes two ids of one stamp differ
 */
record MonotonicByName(Register store, Versions versions, LongSupplier random) implements MonotonicRegister {

    private static final int TRIES = 100;
    /** Of an id: the stamp, and a random number. */
    static final int ID_LENGTH = Stamped.DIGITS + Stamped.DIGITS_OF_NUMBER;

    /** The id of the version that says that there have been others. Lower than every stamp. */
    static final String MARKER = "0".repeat(ID_LENGTH);

    private static final Stamped NOTHING = new Stamped(0, 0, 0, new byte[0]);
    private static final Pattern ID = Pattern.compile("[0-9a-v]{" + ID_LENGTH + "}");

    MonotonicByName(Register store, Versions versions) {
        this(store, versions, () -> UUID.randomUUID().getMostSignificantBits());
    }

    static boolean isId(String text) {
        return ID.matcher(text).matches();
    }

    @Override
    public @Nullable Stamped read(String name) throws IOException {
        String candidate = null;
        for (int i = 0; i < TRIES; i++) {
            List<String> found = listed(name);
            if (found.isEmpty()) {
                if (versions.read(name, MARKER) == null) {
                    return null;
                }
                candidate = null;
                continue;
            }
            String highest = found.get(found.size() - 1);
            if (candidate != null && !isBelow(candidate, highest)) {
                byte[] bytes = versions.read(name, candidate);
                if (bytes != null) {
                    return Stamped.decode(bytes, "'%s' in the %s".formatted(Printable.name(name), store.describe()));
                }
            }
            candidate = highest;
        }
        throw new IOException("'%s' in the %s changes all the time".formatted(Printable.name(name), store.describe()));
    }

    @Override
    public void raise(String name, Stamped stamped) throws IOException {
        String own = stamped.digits() + Stamped.digits(random.getAsLong());
        List<String> found = ids(name);
        boolean raises = found.stream().allMatch(other -> isBelow(other, own));
        if (raises) {
            versions.write(name, own, stamped.encode());
        }
        if (!found.contains(MARKER)) { // not before there is a version: readers look for one from then on
            versions.write(name, MARKER, NOTHING.encode());
        }
        if (raises) {
            deleteBelow(name, own);
        }
    }

    private void deleteBelow(String name, String own) throws IOException {
        for (String lower : listed(name)) {
            if (isBelow(lower, own)) {
                versions.delete(name, lower);
            }
        }
    }

    /** Without the marker, from the lowest to the highest. */
    private List<String> listed(String name) throws IOException {
        return ids(name).stream().filter(id -> !id.equals(MARKER)).sorted().toList();
    }

    private List<String> ids(String name) throws IOException {
        return versions.ids(name).stream().filter(MonotonicByName::isId).toList();
    }

    /** By their stamps. */
    private static boolean isBelow(String id, String other) {
        return id.substring(0, Stamped.DIGITS).compareTo(other.substring(0, Stamped.DIGITS)) < 0;
    }

    @Override
    public Collection<String> names(String prefix) throws IOException {
        return versions.names(prefix);
    }

    @Override
    public int longestName() {
        return versions.longestName();
    }
}
