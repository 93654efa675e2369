package io.paxoslease.protocol;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * Tenures that are extended together, by resource and token. Immutable. A node uses a number for one list only: when a tenure leaves or
 * joins, that is another list, with another number.
 *
 * @param number above zero; of no other list of the node, as long as it lives
 */
@SuppressWarnings("ArrayRecordComponent") // compared by what is in it
public record TenureList(long number, List<String> resources, long[] tokens) {

    public TenureList {
        resources = List.copyOf(resources);
    }

    /** How many there are. */
    public int size() {
        return tokens.length;
    }

    /** The resource of the tenure at that place, which is from zero. */
    public String resource(int place) {
        return resources.get(place);
    }

    /** The fencing token of the tenure at that place, which is from zero. */
    public long token(int place) {
        return tokens[place];
    }

    @Override
    public boolean equals(Object other) {
        return this == other
                || (other instanceof TenureList list
                        && number == list.number
                        && resources.equals(list.resources)
                        && Arrays.equals(tokens, list.tokens));
    }

    @Override
    public int hashCode() {
        return Objects.hash(number, tokens.length);
    }

    @Override
    public String toString() {
        return "list " + number + " of " + tokens.length;
    }
}
