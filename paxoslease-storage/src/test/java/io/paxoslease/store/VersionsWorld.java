package io.paxoslease.store;

import io.paxoslease.store.ListedVersions.NextStep;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Clients that raise and read one register of a store that only reads, writes and lists, with every order of their steps. A listing
 * answers every version that exists from its begin to its end, and any of those that exist for a part of that time. A client that dies is one
 * that takes no further step.
 *
 * <p>A read has to answer the highest stamp that was written, completely or not, at some moment of it: no stamp below one that was complete before,
 * or that another read had answered before.
 */
final class VersionsWorld {

    private static final MapRegister UNUSED = new MapRegister("unused", false);
    private static final String READ = "read";
    private static final String NAMES = "names";
    /** Steps of one call: what looks again and again is not followed any further. */
    private static final int LONGEST = 12;

    private static final int NO_LISTING = -1;

    /** What was found. */
    record Result(int states, int reads, @Nullable String violation) {}

    /**
     * A client and its call.
     *
     * @param done so many of its calls are complete
     * @param answers to the steps of this one
     * @param floor what was known when this one began
     * @param always the versions that have existed since its listing began
     * @param ever those that have existed at some time of it
     */
    private record Client(int done, String answers, long floor, int always, int ever) {

        Client(int done) {
            this(done, "", 0, NO_LISTING, NO_LISTING);
        }

        Client seeing(int versions) {
            return always == NO_LISTING ? this : new Client(done, answers, floor, always & versions, ever | versions);
        }
    }

    /**
     * All of them.
     *
     * @param known the highest stamp that a read has answered or whose raise is complete
     * @param raised the highest one whose raise is complete
     */
    private record State(int versions, List<Client> clients, long known, long raised) {}

    /** How a state was reached. */
    private record Path(State state, @Nullable Path before, int client, int answer) {}

    private final List<List<String>> programs = new ArrayList<>();
    private final List<String> ids = new ArrayList<>();
    private final List<Path> following = new ArrayList<>();
    private int reads;
    private @Nullable String violation;

    private final List<Integer> first = new ArrayList<>();

    /**
     * @param world the calls of each client, with commas between the clients, such as {@code "1 2,read names"}: one raises to 1 and then to
     *     2, the other one reads and lists names. After a colon the clients that take the first steps, such as {@code ":001"}.
     */
    VersionsWorld(String world) {
        String[] parts = world.split(":", -1);
        for (String each : parts[0].split(",", -1)) {
            programs.add(List.of(each.split(" ", -1)));
        }
        if (parts.length > 1) {
            parts[1].chars().forEach(digit -> first.add(digit - '0'));
        }
    }

    Result explore() {
        Deque<Path> open = new ArrayDeque<>(List.of(start()));
        Set<State> seen = new HashSet<>();
        while (!open.isEmpty() && violation == null) {
            Path path = open.pop();
            if (seen.add(path.state())) {
                step(path);
                open.addAll(following);
            }
        }
        return new Result(seen.size(), reads, violation);
    }

    /** Random orders, for worlds that are too large. */
    Result walk(int walks) {
        SplittableRandom random = new SplittableRandom(7);
        int states = 0;
        for (int i = 0; i < walks && violation == null; i++) {
            step(start());
            while (!following.isEmpty() && violation == null) {
                states++;
                step(following.get(random.nextInt(following.size())));
            }
        }
        return new Result(states, reads, violation);
    }

    private Path start() {
        List<Client> clients = new ArrayList<>();
        programs.forEach(program -> clients.add(new Client(0)));
        Path path = new Path(new State(0, clients, 0, 0), null, -1, 0);
        for (int which : first) {
            step(path);
            path = following.stream()
                    .filter(next -> next.client() == which)
                    .findFirst()
                    .orElseThrow();
        }
        return path;
    }

    private void step(Path path) {
        following.clear();
        for (int i = 0; i < programs.size(); i++) {
            Client client = path.state().clients().get(i);
            if (client.done() < programs.get(i).size() && client.answers().length() < LONGEST) {
                advance(path, i, client);
            }
        }
    }

    private void advance(Path path, int which, Client client) {
        NextStep step = next(which, client);
        int versions = path.state().versions();
        switch (step.kind) {
            case LIST_BEGINS -> answer(path, which, versions, 0, true);
            case LIST_ENDS -> {
                int maybe = client.ever() & ~client.always();
                for (int chosen = maybe; chosen >= 0; chosen = chosen == 0 ? -1 : (chosen - 1) & maybe) {
                    answer(path, which, versions, client.always() | chosen, false);
                }
            }
            case READ -> answer(path, which, versions, versions & step.versions, false);
            case WRITE -> answer(path, which, versions | step.versions, 0, false);
            case DELETE -> answer(path, which, versions & ~step.versions, 0, false);
        }
    }

    private void answer(Path path, int which, int versions, int answer, boolean lists) {
        State state = path.state();
        Client client = state.clients().get(which);
        String call = programs.get(which).get(client.done());
        long floor = client.answers().isEmpty() ? floor(state, call) : client.floor();
        String answers = client.answers() + (char) answer;
        int listed = lists ? versions : NO_LISTING;
        Client moved = new Client(client.done(), answers, floor, listed, listed);
        Long result = result(which, moved);
        List<Client> clients = new ArrayList<>();
        state.clients().forEach(other -> clients.add(other.seeing(versions)));
        clients.set(which, result == null ? moved : new Client(client.done() + 1));
        State next = new State(versions, clients, state.known(), state.raised());
        if (result != null) {
            next = complete(next, call, result);
            if (!isRaise(call)) {
                check(new Path(next, path, which, answer), call, result, floor);
            }
        }
        following.add(new Path(next, path, which, answer));
    }

    private static boolean isRaise(String call) {
        return !call.equals(READ) && !call.equals(NAMES);
    }

    private static long floor(State state, String call) {
        return call.equals(NAMES) ? state.raised() : state.known();
    }

    private static State complete(State state, String call, long result) {
        long known = call.equals(NAMES) ? state.known() : Math.max(state.known(), result);
        long raised = isRaise(call) ? Math.max(state.raised(), result) : state.raised();
        return new State(state.versions(), state.clients(), known, raised);
    }

    private void check(Path path, String call, long result, long floor) {
        reads++;
        if (result < floor) {
            StringBuilder story = new StringBuilder();
            for (Path each = path; each != null; each = each.before()) {
                story.insert(0, "%d: %s%n".formatted(each.client(), Integer.toBinaryString(each.answer())));
            }
            violation = "A %s of client %d answers %d after %d was known; versions from the right: %s%n%s"
                    .formatted(call, path.client(), result, floor, ids, story);
        }
    }

    private NextStep next(int which, Client client) {
        try {
            call(which, client);
        } catch (NextStep next) {
            return next;
        }
        throw new IllegalStateException("The call is complete already: " + client);
    }

    /** Null while the call is not complete. */
    private @Nullable Long result(int which, Client client) {
        try {
            return call(which, client);
        } catch (NextStep next) {
            return null;
        }
    }

    /** The stamp that a read answers, that a raise has written, or that a list of names stands for. */
    private long call(int which, Client client) {
        MonotonicByName register = new MonotonicByName(
                UNUSED, new ListedVersions(ids, client.answers()), () -> 1L + 100L * which + client.done());
        String call = programs.get(which).get(client.done());
        try {
            switch (call) {
                case READ -> {
                    Stamped found = register.read("x");
                    return found == null ? 0 : found.count();
                }
                case NAMES -> {
                    return register.names("x").isEmpty() ? 0 : Long.MAX_VALUE;
                }
                default -> {
                    register.raise("x", new Stamped(Long.parseLong(call), 0, 0, new byte[0]));
                    return Long.parseLong(call);
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
