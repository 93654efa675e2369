package io.paxoslease.monitor;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * The clients of a member.
 *
 * @param connected how many are connected
 * @param max how many it admits at most; zero: none
 * @param byApplication how many of each application are connected, as they say themselves: of a hundred applications, the others
 *     under {@code other}, those that do not say under {@code unknown}; in the order of their names
 */
public record ClientCounts(int connected, int max, Map<String, Integer> byApplication) {

    public ClientCounts {
        TreeMap<String, Integer> copy = new TreeMap<>();
        byApplication.forEach(copy::put); // one by one: a copy as a whole fails when clients leave meanwhile
        byApplication = Collections.unmodifiableMap(copy);
    }
}
