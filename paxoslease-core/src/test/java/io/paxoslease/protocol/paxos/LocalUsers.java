package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Effect.Denied;
import io.paxoslease.protocol.Effect.Granted;
import io.paxoslease.protocol.Effect.Lost;
import io.paxoslease.protocol.Effect.Renewed;
import io.paxoslease.protocol.Event;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the users of one node asked for and were told. Every request is answered at most once, a lease is granted to
 * nobody who did not ask, and what is said of a tenure is said of the one that stands.
 */
final class LocalUsers {

    /** A renewal that the node makes by itself. */
    private static final long NOBODY = 0;

    private final Map<Long, String> requests = new HashMap<>();
    private final Set<Long> renewals = new HashSet<>();
    /** Who waits for a lease that is held here. */
    private final Set<Long> questions = new HashSet<>();

    private final Map<String, Long> tenures = new HashMap<>();
    /** Given up, so that the node may let others come first for a while. */
    private final Set<String> yielding = new HashSet<>();

    private Event.@Nullable GiveUp leaving;

    /** Called before the event is handled. */
    void ask(Event event) {
        if (event instanceof Event.Acquire acquire) {
            requests.put(acquire.request().id(), acquire.request().resource());
        } else if (event instanceof Event.Renew renew) {
            renewals.add(renew.requestId());
        } else if (event instanceof Event.GiveUp giveUp) {
            giveUp(giveUp);
        } else if (event instanceof Event.GiveUpTo giveUp) {
            giveUp(new Event.GiveUp(giveUp.resource(), giveUp.token()));
        } else if (event instanceof Event.Nominate question) {
            questions.add(question.requestId());
        }
    }

    private void giveUp(Event.GiveUp giveUp) {
        if (tenures.remove(giveUp.resource(), giveUp.token())) {
            yielding.add(giveUp.resource());
            leaving = giveUp;
        }
    }

    /** Called after the event was handled: until then, what it takes back may still be answered or lost. */
    void done(Event event) {
        leaving = null;
        if (event instanceof Event.Withdraw withdraw) {
            requests.remove(withdraw.requestId(), withdraw.resource());
        } else if (event instanceof Event.Shutdown) {
            tenures.clear();
        }
    }

    void hear(Effect effect) {
        if (effect instanceof Granted granted) {
            check(requests.remove(granted.requestId(), granted.resource()), effect);
            check(tenures.put(granted.resource(), granted.token()) == null, effect);
        } else if (effect instanceof Denied denied) {
            check(requests.remove(denied.requestId(), denied.resource()), effect);
        } else if (effect instanceof Renewed renewed) {
            check(renewed.requestId() == NOBODY || renewals.remove(renewed.requestId()), effect);
        } else if (effect instanceof Effect.Nominated nominated) {
            check(questions.remove(nominated.requestId()), effect);
        } else if (effect instanceof Lost lost) {
            check(stands(lost.resource(), lost.token()), effect);
            tenures.remove(lost.resource(), lost.token());
        } else if (effect instanceof Effect.Extended extended) {
            check(stands(extended.resource(), extended.token()), effect);
        } else if (effect instanceof Effect.Suspected suspected) {
            check(stands(suspected.resource(), suspected.token()), effect);
        }
    }

    private boolean stands(String resource, long token) {
        return Long.valueOf(token).equals(tenures.get(resource)) || new Event.GiveUp(resource, token).equals(leaving);
    }

    private static void check(boolean expected, Effect effect) {
        if (!expected) {
            throw new AssertionError("Nobody can be told this: " + effect);
        }
    }

    /** Nobody waits for an answer any more. */
    void assertAllAnswered() {
        if (!requests.isEmpty() || !renewals.isEmpty() || !tenures.isEmpty()) {
            throw new AssertionError(
                    "Not answered: requests %s, renewals %s, tenures %s".formatted(requests, renewals, tenures));
        }
    }

    List<Event> endAll() {
        List<Event> events = new ArrayList<>();
        requests.forEach((id, resource) -> events.add(new Event.Withdraw(resource, id)));
        tenures.forEach((resource, token) -> events.add(new Event.GiveUp(resource, token)));
        return events;
    }

    /** The node was woken when the longest wait for others was over. */
    void yieldsAreOver() {
        yielding.clear();
    }

    /** The most resources that the node has a reason to work on. */
    int claims() {
        Set<String> all = new HashSet<>(requests.values());
        all.addAll(tenures.keySet());
        all.addAll(yielding);
        return all.size();
    }

    int requests() {
        return requests.size();
    }

    int renewals() {
        return renewals.size();
    }

    Map<String, Long> tenures() {
        return tenures;
    }

    Map<Long, String> open() {
        return requests;
    }
}
