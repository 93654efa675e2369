package io.paxoslease.benchmarks;

/**
 * Where clients of a store find each other.
 *
 * @param database the URL of an H2 database
 * @param directory the path of a directory
 */
record MeetingPlace(String database, String directory) {

    /** For nodes that need none. */
    static final MeetingPlace NONE = new MeetingPlace("", "");
}
