package io.paxoslease.exploration;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.flease.FleaseMessage;
import io.paxoslease.protocol.paxos.PaxosMessage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The states that single nodes get into. There are far fewer of them than states of the whole world, and what a node does
 * depends on its own state, the time and the event alone: each step of a production node is taken once and remembered.
 */
final class Locals {

    /** Actions that are no delivery, by code. */
    static final int ACQUIRE = 0;

    static final int WITHDRAW = 1;
    static final int RELEASE = 2;
    static final int RENEW = 3;
    static final int WAKE = 4;
    static final int RESTART = 5;
    static final int SUSPECT = 6;
    static final int SET_BACK = 7;
    static final int SLEEP = 8;
    /** How many actions there are. */
    static final int ACTIONS = 9;

    /** The node meets the others; on top, the number of the {@link ExploredMeeting}. */
    static final int MEET = 9;

    private static final int BELIEVES = 1 << ACTIONS;
    private static final int ASLEEP = BELIEVES << 1;

    private static final int MEETINGS = 1 << 16;
    static final int DELIVER = MEET + MEETINGS;

    /** What one step leads to. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Step(int state, int[] sent, long token, long attempt, boolean changesNothing) {}

    private record Origin(int parent, int code, int time) {}

    private final Cell cell;
    private final StateHash hash;
    private final Map<StateHash.Print, Integer> states = new HashMap<>();
    private final List<Origin> origins = new ArrayList<>();
    private final List<Integer> nodes = new ArrayList<>();
    private final List<Integer> configurations = new ArrayList<>();
    private final List<Boolean> returning = new ArrayList<>();
    private final List<Integer> looks = new ArrayList<>();
    private final List<Boolean> sealed = new ArrayList<>();
    /** The token that each holds or held last, by state. */
    private final List<Long> tokens = new ArrayList<>();

    private final Map<Long, Step> steps = new HashMap<>();
    private final Map<Flight, Integer> flights = new HashMap<>();
    private final List<Flight> flightsByNumber = new ArrayList<>();
    private final Map<Long, Integer> meetings = new HashMap<>();
    private final List<Long> meetingsByNumber = new ArrayList<>();
    /** What can be done and what is believed, by state, at every time: an action's bit, {@link #BELIEVES}, {@link #ASLEEP}. */
    private final List<int[]> facts = new ArrayList<>();

    Locals(Cell cell) {
        this.cell = cell;
        this.hash = new StateHash();
    }

    int size() {
        return states.size();
    }

    Flight flight(int number) {
        return flightsByNumber.get(number);
    }

    /** The state of a node that has just been started for the first time. */
    int initial(int node) {
        Peer peer = newPeer(node);
        return intern(peer, new Origin(-1 - node, 0, 0));
    }

    private Peer newPeer(int node) {
        return new Peer(cell, node, 0, cell.wallOffsetMicros(node), 0);
    }

    boolean can(int state, int code, int time) {
        return isSo(1 << code, state, time);
    }

    private boolean isSo(int fact, int state, int time) {
        return (facts.get(state)[time] & fact) != 0;
    }

    /** What the node runs: nodes with the same talk to each other. */
    int configuration(int state) {
        return configurations.get(state);
    }

    /** Whether a restart brings the list before back. */
    boolean returnsNext(int state) {
        return returning.get(state);
    }

    /** The code of the step that a node takes when nodes in these states meet. */
    int meeting(int[] states) {
        long meeting = 0;
        for (int node = 0; node < states.length; node++) {
            meeting = ExploredMeeting.with(meeting, node, looks.get(states[node]));
        }
        Integer known = meetings.get(meeting);
        if (known == null) {
            known = meetings.size();
            if (known == MEETINGS) {
                throw new IllegalStateException("More than " + MEETINGS + " meetings in " + cell.name);
            }
            meetings.put(meeting, known);
            meetingsByNumber.add(meeting);
        }
        return MEET + known;
    }

    /** Whether the node knows that a change is sealed. */
    boolean knowsSeal(int state) {
        return sealed.get(state);
    }

    boolean believes(int state, int time) {
        return isSo(BELIEVES, state, time);
    }

    long token(int state) {
        return tokens.get(state);
    }

    /** Whether the machine sleeps, so that nothing reaches it. */
    boolean isAsleep(int state, int time) {
        return isSo(ASLEEP, state, time);
    }

    Step step(int state, int code, int time) {
        long key = key(state, code, time);
        Step known = steps.get(key);
        if (known == null) {
            known = take(state, code, time);
            steps.put(key, known);
        }
        return known;
    }

    private static long key(int state, int code, int time) {
        return ((long) state << 34) | ((long) code << 6) | time;
    }

    private Step take(int state, int code, int time) {
        Peer peer = rebuild(state);
        List<Effect> effects = new ArrayList<>();
        Peer after = play(peer, code, time, effects);
        int next = intern(after, new Origin(state, code, time));
        int[] sent = new int[effects.size()];
        int n = 0;
        long token = Long.MIN_VALUE;
        long attempt = 0;
        for (Effect effect : effects) {
            if (effect instanceof Effect.Send send) {
                sent[n++] = number(new Flight(after, ExploredWorld.number(send.to()), send.message(), 0));
                attempt = Math.max(attempt, attemptOf(send.message()));
            } else if (effect instanceof Effect.Granted granted) {
                token = granted.token();
            }
        }
        return new Step(next, Arrays.copyOf(sent, n), token, attempt, next == state && n == 0);
    }

    private static long attemptOf(Message sent) {
        Message message = sent instanceof PaxosMessage.InMode inMode ? inMode.request() : sent;
        if (message instanceof PaxosMessage.Prepare prepare) {
            return prepare.attempt();
        } else if (message instanceof PaxosMessage.Propose propose) {
            return propose.attempt();
        }
        if (message instanceof FleaseMessage.Request request) {
            return request.attempt();
        }
        return message instanceof PaxosMessage.Extend extend ? extend.attempt() : 0;
    }

    private Peer play(Peer peer, int code, int time, List<Effect> effects) {
        if (code == RESTART) {
            if (peer.isToldOfNext()) {
                effects.addAll(peer.tellOfNext(time));
                return peer;
            }
            return peer.restarted(time);
        }
        if (code >= MEET && code < DELIVER) {
            effects.addAll(peer.meet(meetingsByNumber.get(code - MEET), time));
            return peer;
        }
        effects.addAll(
                code >= DELIVER
                        ? peer.receive(flight(code - DELIVER), time)
                        : peer.perform(action(code, peer.number), time));
        return peer;
    }

    /** The same events at the same times lead to the same state. */
    private Peer rebuild(int state) {
        ArrayDeque<Origin> path = new ArrayDeque<>();
        Origin origin = origins.get(state);
        while (origin.parent() >= 0) {
            path.push(origin);
            origin = origins.get(origin.parent());
        }
        Peer peer = newPeer(-1 - origin.parent());
        List<Effect> ignored = new ArrayList<>();
        for (Origin step : path) {
            peer = play(peer, step.code(), step.time(), ignored);
        }
        return peer;
    }

    private int intern(Peer peer, Origin origin) {
        Integer known = states.putIfAbsent(hash.of(peer), states.size());
        if (known != null) {
            return known;
        }
        origins.add(origin);
        nodes.add(peer.number);
        configurations.add(peer.configuration());
        returning.add(peer.returnsNext());
        looks.add(peer.look());
        sealed.add(peer.knowsSeal());
        tokens.add(peer.token());
        facts.add(facts(peer));
        return origins.size() - 1;
    }

    private int[] facts(Peer peer) {
        int[] result = new int[cell.horizon + 1];
        for (int time = 0; time < result.length; time++) {
            int bits = (peer.believes(time) ? BELIEVES : 0) | (peer.isAsleep(time) ? ASLEEP : 0);
            for (int code = 0; code < ACTIONS; code++) {
                bits |= code == RESTART || peer.can(action(code, peer.number), time) ? 1 << code : 0;
            }
            result[time] = bits;
        }
        return result;
    }

    private int number(Flight flight) {
        Integer known = flights.putIfAbsent(flight, flightsByNumber.size());
        if (known != null) {
            return known;
        }
        flightsByNumber.add(flight);
        return flightsByNumber.size() - 1;
    }

    static Action action(int code, int node) {
        return switch (code) {
            case ACQUIRE -> new Action.Acquire(node);
            case WITHDRAW -> new Action.Withdraw(node);
            case RELEASE -> new Action.Release(node);
            case RENEW -> new Action.Renew(node);
            case WAKE -> new Action.Wake(node);
            case RESTART -> new Action.Restart(node);
            case SUSPECT -> new Action.Suspect(node);
            case SET_BACK -> new Action.SetBack(node);
            case SLEEP -> new Action.Sleep(node);
            default -> throw new IllegalArgumentException("No action has code " + code);
        };
    }
}
