package io.paxoslease.protocol.storage;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What was written to one register: in the order in which the writes had their effect, and what is under way. */
final class PaperRegister {

    /** One write. */
    static final class Write {

        final @Nullable Content content;
        boolean complete;

        private Write(@Nullable Content content) {
            this.content = content;
        }
    }

    private final List<Write> order = new ArrayList<>();
    private final List<Write> underWay = new ArrayList<>();

    PaperRegister() {
        Write empty = new Write(null);
        empty.complete = true;
        order.add(empty);
    }

    Write begin(Content content) {
        Write write = new Write(content);
        underWay.add(write);
        return write;
    }

    void place(Write write) {
        underWay.remove(write);
        order.add(write);
    }

    void abandon(Write write) {
        underWay.remove(write);
    }

    Write latest() {
        return order.get(order.size() - 1);
    }

    /** The last one that has been answered. */
    Write latestComplete() {
        int last = order.size() - 1;
        while (!order.get(last).complete) {
            last--;
        }
        return order.get(last);
    }

    /** Of those under way, or the latest. */
    Write latestBegun() {
        return underWay.isEmpty() ? latest() : underWay.get(underWay.size() - 1);
    }
}
