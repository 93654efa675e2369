package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.ConfigurationGuard;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** An acceptor's rules, and the generation that it is of. It restarts, moves and learns of seals whenever it is told to. */
final class CoreAcceptor implements CorePart {

    private final CoreCell cell;
    private final int number;
    private Moment now = new Moment(0);
    private Generations generations;
    private AcceptorRules rules;

    CoreAcceptor(CoreCell cell, int number) {
        this.cell = cell;
        this.number = number;
        this.generations = newGenerations(cell.firstOf(number));
        this.rules = newRules(null);
    }

    private Generations newGenerations(int generation) {
        return new Generations(cell.generation(generation), () -> new Incarnation(number, 1), now);
    }

    private AcceptorRules newRules(@Nullable Moment quarantineEnd) {
        ConfigurationGuard none = ConfigurationGuard.none(CoreCell.id(number));
        return new AcceptorRules(generations, quarantineEnd, none, 1, CoreCell.reading(now));
    }

    int generation() {
        return generations.own().get().number();
    }

    boolean knowsSeal(int generation) {
        return generations.sealed() >= generation;
    }

    boolean isSilent() {
        return rules.isSilent(CoreCell.reading(now));
    }

    @Override
    public List<PaxosMessage> step(int code, @Nullable PaxosMessage received, int from) {
        PaxosMessage answer = null;
        if (code == TICK) {
            now = now.plusNanos(CoreCell.UNIT);
        } else if (code == RECEIVE) {
            PaxosMessage.Request request = (PaxosMessage.Request) Objects.requireNonNull(received);
            answer = isSilent() ? null : serve(CoreCell.proposerId(from), request);
        } else if (code >= LEARN_SEAL) {
            learnSeal(cell.generation(code - LEARN_SEAL));
        } else if (code >= MOVE) {
            generations.mayMoveTo(cell.generation(generation() + 1));
            Objects.requireNonNull(generations.own().next());
            generations.own().move();
        } else {
            restart(code - RESTART);
        }
        if (generations.isModeOver()) {
            generations.changeMode(now);
        }
        isSilent(); // the end of a quarantine is noticed at once
        return answer == null ? List.of() : List.of(answer);
    }

    @Override
    public List<Integer> codes() {
        int own = generation();
        boolean hasNext = own < cell.newest();
        List<Integer> codes = new ArrayList<>(List.of(TICK, RESTART + own));
        if (hasNext && cell.movesByRestart) {
            codes.add(RESTART + own + 1);
        }
        if (hasNext && cell.movesLive && knowsSeal(own)) {
            codes.add(MOVE);
        }
        if (cell.goesBack && own > cell.firstOf(number)) {
            codes.add(RESTART + own - 1);
        }
        for (int sealed = own; sealed <= Math.min(own + 1, cell.newest()); sealed++) {
            boolean mayLearn = !cell.learnsAtOnce || sealed == own || (cell.goesBack && isSilent());
            if (mayLearn && !knowsSeal(sealed)) {
                codes.add(LEARN_SEAL + sealed);
            }
        }
        return codes;
    }

    /** That it is silent is seen as long as there is a generation to which it has not moved. */
    @Override
    public List<Object> visible() {
        return List.of(generation(), generations.sealed(), generation() < cell.newest() && isSilent());
    }

    private void restart(int generation) {
        long quarantine = cell.generation(generation).timing(false).quarantineNanos();
        generations = newGenerations(generation);
        rules = newRules(now.plusNanos(quarantine - cell.quarantineShortBy * CoreCell.UNIT));
    }

    /** Its own, or the next one, of which both lists tell it. */
    private void learnSeal(Generation sealed) {
        generations.sealStored(sealed);
        for (NodeId each : sealed.everyone()) {
            generations.met(each, sealed, sealed.number());
        }
    }

    /** R1, as {@link RequestHandler} does; refusals are not told. */
    private @Nullable PaxosMessage serve(NodeId from, PaxosMessage.Request request) {
        int mode = request instanceof PaxosMessage.InMode inMode ? inMode.mode() : Quorum.FIRST;
        PaxosMessage.Request asked = request instanceof PaxosMessage.InMode inMode ? inMode.request() : request;
        PaxosMessage answer = null;
        if (asked instanceof PaxosMessage.Release release) {
            rules.release(from, release, CoreCell.reading(now));
        } else if (!generations.takes(mode)) {
            return null;
        } else if (asked instanceof PaxosMessage.Propose propose) {
            answer = rules.propose(from, propose, CoreCell.reading(now));
        } else if (asked instanceof PaxosMessage.Extend extend) {
            answer = rules.extensions().extend(from, extend, place -> false, CoreCell.reading(now));
        }
        boolean isHeard = answer instanceof PaxosMessage.Accepted
                || (answer instanceof PaxosMessage.Extended extended
                        && extended.missing().isEmpty());
        return isHeard ? answer : null;
    }

    @Override
    public List<@Nullable Object> print() {
        Moment end = rules.quarantineEnd();
        List<@Nullable Object> print = new ArrayList<>(Arrays.asList(
                generation(),
                generations.sealed(),
                generations.isOver(),
                end == null ? -1 : Math.max(0, now.nanosUntil(end))));
        int place = rules.slots().find(CoreCell.RESOURCE);
        if (place >= 0) {
            AcceptorSlot slot = rules.slots().load(place, now);
            if (slot.isLiveFor(now)) {
                print.addAll(Arrays.asList(slot.owner, slot.ownerNode, slot.counter, now.nanosUntil(slot.deadline())));
            }
            print.addAll(Arrays.asList(slot.hasPromise, slot.promised, slot.promisedBy));
        }
        return print;
    }

    @Override
    public long printOf(int acceptor) {
        return 0;
    }
}
