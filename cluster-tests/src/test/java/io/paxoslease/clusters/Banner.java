package io.paxoslease.clusters;

/** Lines on the console that nobody overlooks. */
final class Banner {

    private static final String BAR = "#".repeat(100);

    private Banner() {}

    static void show(String what) {
        System.err.printf("%n%s%n###  %s%n%s%n%n", BAR, what, BAR);
    }
}
