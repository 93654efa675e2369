package io.paxoslease.simulation;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.NodeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A client that has not heard of a change asks the list before alone, after the new list has decided: the members before have no majority any
 * more that answers. Else what it raises is not read by others, and what others have raised not by it.
 */
public final class LateRequester implements Supplier<List<String>> {

    private static final Duration MAX = Duration.ofSeconds(2);
    private static final Generation FIRST = Generation.first(list("a", "b", "c"));
    private static final Generation NEXT = new Generation(2, list("c", "d", "e"), FIRST.current());

    private final RegisterCell cell = new RegisterCell(1);

    private static MemberList list(String... ids) {
        return new MemberList(Stream.of(ids).map(NodeId::new).toList(), MAX, 0.1);
    }

    /** @return what is wrong; nothing when all is well */
    @Override
    public List<String> get() {
        List<String> wrong = new ArrayList<>();
        List.of("a", "b", "c", "z").forEach(id -> cell.start(id, FIRST));
        cell.pass(Duration.ofSeconds(3));
        cell.deafen("z");
        List.of("d", "e").forEach(id -> cell.start(id, NEXT));
        cell.change(NEXT, "a", "b", "c");
        cell.pass(Duration.ofSeconds(12));
        if (cell.sealed("d") != 2 || cell.sealed("z") == 2) {
            wrong.add("the change is not sealed, or 'z' has heard of it");
        }
        cell.await(cell.node("d").registers().raise("r", 5)).join();
        CompletableFuture<OptionalLong> read =
                cell.await(cell.node("z").registers().read("r"));
        if (!read.isCompletedExceptionally()) {
            wrong.add("'z' reads %s of the list before, and 5 was raised".formatted(read.join()));
        }
        if (!cell.await(cell.node("z").registers().raise("s", 6)).isCompletedExceptionally()) {
            OptionalLong found =
                    cell.await(cell.node("d").registers().read("s")).join();
            wrong.add("the list before has acknowledged 6, and 'd' reads " + found);
        }
        return wrong;
    }
}
