package io.paxoslease.testing;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** The only member of a cell restarts while a client holds a lease: may another client be granted it at once? */
public final class ClientOfOne implements Supplier<List<String>> {

    /** @return what is wrong; nothing when all is well */
    @Override
    public List<String> get() {
        try (InMemoryCell cell = InMemoryCell.of("a")) {
            cell.addClient("x");
            cell.addClient("y");
            Lease held = cell.node("x").acquire("r", AcquireOptions.renewing()).join();
            cell.disconnect("x");
            cell.crash("a");
            cell.restart("a");
            var waiting = cell.node("y").acquire("r", AcquireOptions.renewing());
            for (int millis = 0; !waiting.isDone(); millis += 10) {
                if (millis > 60_000) {
                    return List.of("y waits in vain");
                }
                cell.advance(Duration.ofMillis(10));
            }
            return held.isHeld() ? List.of("both x and y hold r") : List.of();
        }
    }
}
