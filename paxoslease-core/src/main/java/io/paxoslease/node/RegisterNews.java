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
 * Tells members all registers of this node, in several steps. A step follows when the one before is answered, or after a second, as a member may not
 * be able to answer. What a member has not answered as one that knows the value is repeated, after longer and longer pauses, five times at most.
 * On the node's thread.
 */
final class RegisterNews {

    /** Between two steps, so that leases do not wait behind them. */
    private static final long PAUSE_NANOS = 10_000_000;

    /** A member that takes no request of its mode does not say that the news have come. */
    private static final long NEXT_NANOS = 1_000_000_000;

    /** The first pause; each further one is twice as long. */
    private static final long REPEAT_NANOS = 200_000_000;

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
        final RegisterMode mode;
        /** By the number of a question that has not been answered. */
        final Map<Long, Step> open = new HashMap<>();

        int begun;

        Telling(List<KnownRegisters> all, RegisterMode mode) {
            this.all = all;
            this.mode = mode;
        }
    }

    private static final class Step {
        final int index;
        final List<Message> messages = new ArrayList<>();
        /** The least value that the answer must have, by the number of the question. */
        final Map<Long, Long> unanswered = new HashMap<>();

        Step(int index) {
            this.index = index;
        }

        void ask(Request question, Entry about) {
            messages.add(question);
            unanswered.put(question.number(), about.value());
        }

        List<Message> missing() {
            return messages.stream()
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
        Telling telling = new Telling(all, mode);
        told.put(member, telling);
        begin(member, telling, 0);
    }

    private void begin(NodeId member, Telling telling, int index) {
        boolean isNext = told.get(member) == telling && telling.begun == index;
        if (!isNext || index == telling.all.size()) {
            return;
        }
        telling.begun++;
        Step step = new Step(index);
        write(telling.all.get(index), telling.mode, step);
        step.unanswered.keySet().forEach(number -> telling.open.put(number, step));
        send(member, telling, step, 0);
        timers.later(() -> begin(member, telling, index + 1), NEXT_NANOS);
    }

    /** Members learn from members, which ask for the last value as it has come after all others. A client raises each value again. */
    private void write(KnownRegisters news, RegisterMode mode, Step step) {
        List<Entry> entries = news.registers();
        if (isMember) {
            Entry last = entries.get(entries.size() - 1);
            step.messages.add(news);
            step.ask(new ReadRegister(++questions, last.register(), mode), last);
        } else {
            entries.forEach(
                    each -> step.ask(new RaiseRegister(++questions, each.register(), each.value(), mode), each));
        }
    }

    private void send(NodeId member, Telling telling, Step step, int times) {
        if (times < TIMES && told.get(member) == telling && !step.unanswered.isEmpty()) {
            sender.accept(member, step.missing());
            timers.later(() -> send(member, telling, step, times + 1), REPEAT_NANOS << times);
        }
    }

    void answered(NodeId by, RegisterValue answer) {
        Telling telling = told.get(by);
        Step step = telling == null ? null : telling.open.get(answer.number());
        Long least = step == null ? null : step.unanswered.get(answer.number());
        if (telling == null || step == null || least == null || answer.value().orElse(-1) < least) {
            return;
        }
        telling.open.remove(answer.number());
        step.unanswered.remove(answer.number());
        if (step.unanswered.isEmpty()) {
            timers.later(() -> begin(by, telling, step.index + 1), PAUSE_NANOS);
        }
    }

    void unreachable(NodeId member) {
        told.remove(member);
    }
}
