package io.paxoslease.node;

import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.registers.MaxRegisterMessage.Entry;
import io.paxoslease.protocol.registers.MaxRegisterMessage.KnownRegisters;
import io.paxoslease.protocol.registers.MaxRegisterMessage.RaiseRegister;
import io.paxoslease.protocol.registers.MaxRegisterMessage.ReadRegister;
import io.paxoslease.protocol.registers.MaxRegisterMessage.RegisterValue;
import io.paxoslease.protocol.registers.MaxRegisterMessage.Request;
import io.paxoslease.protocol.registers.RegisterMode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiConsumer;

/**
 * Tells members all registers of this node, in several steps. What a member has not answered as one that knows the value is repeated, after longer
 * and longer pauses, five times at most. On the node's thread.
 */
final class RegisterNews {

    /** Between two steps, so that leases do not wait behind them. */
    private static final long PAUSE_NANOS = 10_000_000;

    /** The first pause; each further one is twice as long. */
    private static final long REPEAT_NANOS = 200_000_000;
    /** Then the next step follows: members of versions before 4 do not say that the news of a member have come. */
    private static final int TIMES = 5;

    private final Timers timers;
    private final boolean isMember;
    private final BiConsumer<NodeId, List<Message>> sender;
    /** Members that have been told, or are being told. */
    private final Map<NodeId, Telling> told = new HashMap<>();

    private long questions = ThreadLocalRandom.current().nextLong();

    /** What a member is being told. */
    private static final class Telling {
        final List<KnownRegisters> all;
        final int index;
        final RegisterMode mode;
        final List<Message> step = new ArrayList<>();
        /** The least value that the answer must have, by the number of the question. */
        final Map<Long, Long> unanswered = new HashMap<>();

        Telling(List<KnownRegisters> all, int index, RegisterMode mode) {
            this.all = all;
            this.index = index;
            this.mode = mode;
        }

        void ask(Request question, Entry about) {
            step.add(question);
            unanswered.put(question.number(), about.value());
        }

        List<Message> missing() {
            return step.stream()
                    .filter(each -> !(each instanceof Request its) || unanswered.containsKey(its.number()))
                    .toList();
        }
    }

    /** Runs code on the node's thread after a time. */
    interface Timers {
        void later(Runnable code, long nanos);
    }

    RegisterNews(boolean isMember, Timers timers, BiConsumer<NodeId, List<Message>> sender) {
        this.isMember = isMember;
        this.timers = timers;
        this.sender = sender;
    }

    boolean hasTold(NodeId member) {
        return told.containsKey(member);
    }

    /**
     * From the first step on, also if the member has been told before.
     *
     * @param mode one that it takes
     */
    void tell(NodeId member, List<KnownRegisters> all, RegisterMode mode) {
        begin(member, all, 0, mode);
    }

    private void begin(NodeId member, List<KnownRegisters> all, int index, RegisterMode mode) {
        Telling telling = new Telling(all, index, mode);
        told.put(member, telling);
        if (index < all.size()) {
            write(all.get(index).registers(), telling);
            send(member, telling, TIMES);
        }
    }

    /** Members learn from members, which ask for the last value as it has come after all others. A client raises each value again. */
    private void write(List<Entry> entries, Telling telling) {
        if (isMember) {
            Entry last = entries.get(entries.size() - 1);
            telling.step.add(telling.all.get(telling.index));
            telling.ask(new ReadRegister(++questions, last.register(), telling.mode), last);
        } else {
            entries.forEach(each ->
                    telling.ask(new RaiseRegister(++questions, each.register(), each.value(), telling.mode), each));
        }
    }

    private void send(NodeId member, Telling telling, int times) {
        if (told.get(member) != telling || telling.unanswered.isEmpty()) {
            return;
        }
        if (times == 0) {
            next(member, telling);
            return;
        }
        sender.accept(member, telling.missing());
        timers.later(() -> send(member, telling, times - 1), REPEAT_NANOS << (TIMES - times));
    }

    void answered(NodeId by, RegisterValue answer) {
        Telling telling = told.get(by);
        Long least = telling == null ? null : telling.unanswered.get(answer.number());
        if (telling == null || least == null || answer.value().orElse(-1) < least) {
            return;
        }
        telling.unanswered.remove(answer.number());
        if (telling.unanswered.isEmpty()) {
            timers.later(() -> next(by, telling), PAUSE_NANOS);
        }
    }

    private void next(NodeId member, Telling telling) {
        if (told.get(member) == telling) {
            begin(member, telling.all, telling.index + 1, telling.mode);
        }
    }

    void unreachable(NodeId member) {
        told.remove(member);
    }
}
