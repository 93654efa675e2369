package io.paxoslease.node;

import io.paxoslease.PaxosLeaseException;
import io.paxoslease.protocol.Moment;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** What users of one running node have asked the cell for, and have no answer to. Thread-safe. */
final class OpenRequests {

    private final Map<Long, Request> byId = new ConcurrentHashMap<>();
    private final Map<String, Integer> byResource = new ConcurrentHashMap<>();

    record Request(String resource, Moment askedAt, CompletableFuture<HeldLease> answer) {}

    void add(long id, Request request) {
        byId.put(id, request);
        byResource.merge(request.resource(), 1, Integer::sum);
    }

    /** Whoever takes it out answers it; null: somebody else has. */
    @Nullable
    Request remove(long id) {
        Request request = byId.remove(id);
        if (request != null) {
            byResource.computeIfPresent(request.resource(), (resource, count) -> count == 1 ? null : count - 1);
        }
        return request;
    }

    boolean anyFor(String resource) {
        return byResource.containsKey(resource);
    }

    void addResources(Collection<String> resources) {
        resources.addAll(byResource.keySet());
    }

    /** No answer will come any more. */
    void fail(PaxosLeaseException reason) {
        for (Map.Entry<Long, Request> open : List.copyOf(byId.entrySet())) {
            open.getValue()
                    .answer()
                    .completeExceptionally(reason); // first: without memory it stays, and is answered later
            remove(open.getKey());
        }
    }
}
