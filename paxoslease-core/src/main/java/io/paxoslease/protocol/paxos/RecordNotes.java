package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Note;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * The notes of an acceptor's records, by the place of the record (X1 to X3). Without notes it takes nothing. A note that there is no room
 * for is dropped; its record stays. Not thread-safe.
 */
final class RecordNotes {

    /** What all notes of an acceptor may take, overhead included. */
    static final long MOST_BYTES = 16L << 20;

    /** What one takes besides its text: entries of the map, the number of the place, headers. */
    static final int BYTES_OF_ONE = 112;

    private static final int FEW = 1_024;

    private static final class Text {
        final byte[] utf8;
        final NodeId node;

        Text(String note, NodeId node) {
            this.utf8 = note.getBytes(StandardCharsets.UTF_8);
            this.node = node;
        }

        long bytes() {
            return (long) BYTES_OF_ONE + utf8.length;
        }
    }

    private Share share;
    private Map<Integer, Text> byPlace = new HashMap<>(0);
    /** The largest size of the map since it was made: a map that has grown does not shrink. */
    private int most;

    /** @param share what the notes of each node may take: a client has a part of it, whatever the others have */
    RecordNotes(Share share) {
        this.share = share;
    }

    boolean isEmpty() {
        return byPlace.isEmpty();
    }

    void clear() {
        share = share.emptied();
        byPlace = new HashMap<>(0);
        most = 0;
    }

    /** Whether notes that are put from now on are of {@linkplain Share#returning returning} holders. */
    void returning(boolean now) {
        share.returning(now);
    }

    /** X1: the record has that note from now on, and no other. If there is no room for it, the record has none (X3). */
    void put(int place, NodeId node, String note) {
        remove(place);
        Text text = note.isEmpty() ? null : new Text(note, node);
        if (text != null && share.hasRoom(node, text.bytes())) {
            share.take(node, text.bytes());
            byPlace.put(place, text);
            most = Math.max(most, byPlace.size());
        }
    }

    /** X2: the record is gone, and its note with it. */
    void remove(int place) {
        Text before = byPlace.remove(place);
        if (before != null) {
            share.giveBack(before.node, before.bytes());
            if (most > FEW && byPlace.size() < most / 4) {
                byPlace = new HashMap<>(byPlace);
                most = byPlace.size();
            }
        }
    }

    /** Empty: it has none. */
    String at(int place) {
        Text text = byPlace.get(place);
        return text == null ? Note.NONE : new String(text.utf8, StandardCharsets.UTF_8);
    }

    int size() {
        return byPlace.size();
    }
}
