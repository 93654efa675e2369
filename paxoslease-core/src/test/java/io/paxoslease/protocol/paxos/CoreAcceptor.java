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
    private int content;
    private Generations generations;
    private AcceptorRules rules;

    CoreAcceptor(CoreCell cell, int number) {
        this.cell = cell;
        this.number = number;
        this.content = cell.firstOf(number);
        this.generations = newGenerations();
        this.rules = newRules(null);
    }

    private Generations newGenerations() {
        return new Generations(cell.content(content), () -> new Incarnation(number, 1), CoreCell.reading(now));
    }

    private AcceptorRules newRules(@Nullable Moment quarantineEnd) {
        ConfigurationGuard none = ConfigurationGuard.none(CoreCell.id(number));
        return new AcceptorRules(
                generations,
                node -> true,
                quarantineEnd,
                none,
                AcceptorMemory.of(AcceptorMemory.UNBOUNDED),
                1,
                CoreCell.reading(now));
    }

    int content() {
        return content;
    }

    boolean knowsSeal(int content) {
        return generations.sealed() >= cell.content(content).number();
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
            learnSeal(cell.content(code - LEARN_SEAL));
        } else if (code >= MOVE) {
            content = code - MOVE;
            generations.mayMoveTo(cell.content(content));
            Objects.requireNonNull(generations.own().next());
            generations.own().move();
        } else {
            restart(code - RESTART);
        }
        if (generations.isModeOver()) {
            generations.changeMode(CoreCell.reading(now));
        }
        isSilent(); // the end of a quarantine is noticed at once
        return answer == null ? List.of() : List.of(answer);
    }

    @Override
    public List<Integer> codes() {
        int own = content();
        List<Integer> after = cell.after(own);
        List<Integer> codes = new ArrayList<>(List.of(TICK, RESTART + own));
        if (cell.movesByRestart) {
            after.forEach(next -> codes.add(RESTART + next));
        }
        if (cell.movesLive && knowsSeal(own)) {
            after.forEach(next -> codes.add(MOVE + next));
        }
        if (cell.changesContents) {
            cell.others(own).forEach(other -> codes.add(RESTART + other));
        }
        if (cell.goesBack && own > cell.firstOf(number)) {
            cell.before(own).forEach(before -> codes.add(RESTART + before));
        }
        List<Integer> seals = new ArrayList<>(List.of(own));
        if (!cell.learnsAtOnce || (cell.goesBack && isSilent())) {
            seals.addAll(after);
        }
        seals.stream().filter(seal -> !knowsSeal(seal)).forEach(seal -> codes.add(LEARN_SEAL + seal));
        return codes;
    }

    /** That it is silent is seen as long as there is a generation to which it has not moved. */
    @Override
    public List<Object> visible() {
        return List.of(content(), generations.sealed(), !cell.after(content()).isEmpty() && isSilent());
    }

    private void restart(int nextContent) {
        content = nextContent;
        long quarantine = cell.content(content).timing(false).quarantineNanos();
        generations = newGenerations();
        rules = newRules(now.plusNanos(quarantine - cell.quarantineShortBy * CoreCell.UNIT));
    }

    /** Its own, or the next one, of which both lists tell it. */
    private void learnSeal(Generation sealed) {
        generations.sealStored(sealed);
        for (NodeId each : sealed.everyone()) {
            generations.met(each, sealed, sealed.number());
        }
    }

    /** R1 and R6, as {@link RequestHandler} does; refusals are not told. */
    private @Nullable PaxosMessage serve(NodeId from, PaxosMessage.Request request) {
        int mode = request instanceof PaxosMessage.InMode inMode ? inMode.mode() : Quorum.FIRST;
        long itsContent = request instanceof PaxosMessage.InMode inMode ? inMode.content() : 0;
        PaxosMessage.Request asked = request instanceof PaxosMessage.InMode inMode ? inMode.request() : request;
        PaxosMessage answer = null;
        if (asked instanceof PaxosMessage.Release release) {
            rules.release(from, release, CoreCell.reading(now));
        } else if (!generations.own().takes(mode, itsContent)) {
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
                content(),
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
