package io.paxoslease.exploration;

import java.util.List;

/** The rules of registers over stores that only read, write and list, and of stores that go back, each weakened, and the world in which that shows. */
final class RegisterMutants {

    private static final String BY_NAME = "store/MonotonicByName.java";
    private static final String DELETE = "        if (raises) {\n            deleteBelow(name, own);\n        }\n";

    /** @param world for {@link io.paxoslease.store.VersionsHunt} */
    record Entry(Mutant mutant, String world) {}

    private RegisterMutants() {}

    static List<Entry> all() {
        return List.of(
                new Entry(
                        new Mutant("S20", "lower versions are deleted from the highest downwards")
                                .change(
                                        BY_NAME,
                                        "for (String lower : listed(name)) {",
                                        "for (String lower : listed(name).stream().sorted(java.util.Comparator.<String>reverseOrder()).toList()) {"),
                        "1,2,3 4,read:00111111"),
                new Entry(
                        new Mutant("S21", "no marker is written")
                                .change(BY_NAME, "if (!found.contains(MARKER)) {", "if (false) {"),
                        "1 2,read names"),
                new Entry(
                        new Mutant("S22", "an empty listing is believed")
                                .change(BY_NAME, "if (versions.read(name, MARKER) == null) {", "if (true) {"),
                        "1 2,read"),
                new Entry(
                        new Mutant("S23", "a reader believes its first listing")
                                .change(
                                        BY_NAME,
                                        "            String highest = found.get(found.size() - 1);\n",
                                        "            String highest = found.get(found.size() - 1);\n            candidate = highest;\n"),
                        "1,2,3 4,read:00111111"),
                new Entry(
                        new Mutant("S24", "the version is read before the listing that confirms it")
                                .change(
                                        BY_NAME,
                                        "        String candidate = null;\n",
                                        "        String candidate = null;\n        byte[] early = null;\n")
                                .change(
                                        BY_NAME,
                                        "byte[] bytes = versions.read(name, candidate);",
                                        "byte[] bytes = early;")
                                .change(
                                        BY_NAME,
                                        "            candidate = highest;\n",
                                        "            candidate = highest;\n            early = versions.read(name, highest);\n"),
                        "1,2,3 4,read:00111111"),
                new Entry(
                        new Mutant("S25", "the marker is written after versions are deleted")
                                .change(BY_NAME, DELETE, "")
                                .change(
                                        BY_NAME,
                                        "        if (!found.contains(MARKER)) {",
                                        DELETE + "        if (!found.contains(MARKER)) {"),
                        "1,2,read read:000"),
                new Entry(
                        new Mutant("S26", "a store that has gone back is believed")
                                .change("store/NeverBack.java", "if (before != null && (", "if (false && ("),
                        "restored"));
    }
}
