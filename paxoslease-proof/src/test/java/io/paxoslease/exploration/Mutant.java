package io.paxoslease.exploration;

import java.util.ArrayList;
import java.util.List;

/**
 * Production code with one safety rule weakened: the text of a source file, another text in its place, and the small world
 * in which that is to be found out. Nothing of it is in the production classes themselves.
 */
final class Mutant {

    /** One change of a source file. */
    record Change(String file, String from, String to) {}

    final String id;
    final String title;
    final Cell cell;
    final List<Change> changes = new ArrayList<>();

    Mutant(String id, String title) {
        this.id = id;
        this.title = title;
        this.cell = new Cell(id);
    }

    /** @param file relative to {@code io/paxoslease} */
    Mutant change(String file, String from, String to) {
        changes.add(new Change(file, from, to));
        return this;
    }

    @Override
    public String toString() {
        return id + " " + title;
    }
}
