package io.paxoslease.node;

import io.paxoslease.PaxosLeaseException;
import io.paxoslease.protocol.Moment;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** What users of one running node have asked the cell for, and have no answer to. Thread-safe. */
final class OpenRequests {

    private final Map<Long, Request> byId = new ConcurrentHashMap<>();
    private final Map<String, Integer> byResource = new ConcurrentHashMap<>();

    /** One of them, of one resource. */
    static final class Request {

        private final Long id;
        final String resource;
        final Moment askedAt;
        final CompletableFuture<HeldLease> answer;
        private boolean taken;

        Request(long id, String resource, Moment askedAt, CompletableFuture<HeldLease> answer) {
            this.id = id;
            this.resource = resource;
            this.askedAt = askedAt;
            this.answer = answer;
        }

        private synchronized boolean take() {
            boolean first = !taken;
            taken = true;
            return first;
        }
    }

    void add(Request request) {
        byResource.merge(request.resource, 1, Integer::sum);
        try {
            byId.put(request.id, request);
        } catch (Error withoutMemory) {
            countOff(request.resource);
            throw withoutMemory;
        }
    }

    private void countOff(String ofResource) {
        byResource.computeIfPresent(ofResource, (resource, count) -> count == 1 ? null : count - 1);
    }

    /**
     * The caller answers it, and then says so by {@link #answered}; null: another thread has taken it. Until then {@link #fail} finds it, should
     * something fail in between.
     */
    @Nullable
    Request take(long id) {
        Request request = byId.get(id);
        if (request == null || !request.take()) {
            return null;
        }
        countOff(request.resource);
        return request;
    }

    void answered(Request request) {
        byId.remove(request.id);
    }

    boolean anyFor(String resource) {
        return byResource.containsKey(resource);
    }

    void addResources(Collection<String> resources) {
        resources.addAll(byResource.keySet());
    }

    /** No answer will come any more. */
    void fail(PaxosLeaseException reason) {
        for (Request open : byId.values()) {
            open.answer.completeExceptionally(reason); // first: without memory it stays, and is answered later
            take(open.id);
            answered(open);
        }
    }
}
