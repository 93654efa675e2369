package io.paxoslease.node;

import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.registers.MaxRegisterMessage.Entry;
import io.paxoslease.protocol.registers.MaxRegisterMessage.KnownRegisters;
import io.paxoslease.protocol.registers.MaxRegisterMessage.ReadRegister;
import io.paxoslease.protocol.registers.MaxRegisterMessage.RegisterValue;
import io.paxoslease.protocol.registers.RegisterMode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiConsumer;

/**
 * Tells other members all registers of this one, in several messages. A message is repeated until the other member's value of its last
 * register shows that it has come, or has been sent five times. On the node's thread.
 */
final class RegisterNews {

    /** Between two messages to a node, so that leases do not wait behind them. */
    private static final long PAUSE_NANOS = 10_000_000;

    private static final long REPEAT_NANOS = 200_000_000;
    /** A message is sent so often, then the next one: members of versions before 4 do not say that it has come. */
    private static final int TIMES = 5;

    private final Timers timers;
    private final BiConsumer<NodeId, List<Message>> sender;
    /** Members that have been told, or are being told. */
    private final Map<NodeId, Telling> told = new HashMap<>();

    private long questions = ThreadLocalRandom.current().nextLong();

    private record Telling(List<KnownRegisters> left, int index, long question, RegisterMode mode) {

        boolean isOver() {
            return index == left.size();
        }
    }

    /** Runs code on the node's thread after a time. */
    interface Timers {
        void later(Runnable code, long nanos);
    }

    RegisterNews(Timers timers, BiConsumer<NodeId, List<Message>> sender) {
        this.timers = timers;
        this.sender = sender;
    }

    boolean hasTold(NodeId member) {
        return told.containsKey(member);
    }

    /**
     * From the first message on, also if the member has been told before.
     *
     * @param mode one that it takes
     */
    void tell(NodeId member, List<KnownRegisters> all, RegisterMode mode) {
        begin(member, new Telling(all, 0, ++questions, mode));
    }

    private void begin(NodeId member, Telling telling) {
        told.put(member, telling);
        if (!telling.isOver()) {
            send(member, telling, TIMES);
        }
    }

    private void send(NodeId member, Telling telling, int times) {
        if (!isPresent(member, telling)) { // it has come, or was lost meanwhile
            return;
        }
        if (times == 0) {
            next(member, telling);
            return;
        }
        KnownRegisters news = telling.left().get(telling.index());
        sender.accept(
                member,
                List.of(news, new ReadRegister(telling.question(), last(news).register(), telling.mode())));
        timers.later(() -> send(member, telling, times - 1), REPEAT_NANOS);
    }

    private boolean isPresent(NodeId member, Telling telling) {
        Telling present = told.get(member);
        return present != null && present.question() == telling.question();
    }

    private static Entry last(KnownRegisters news) {
        return news.registers().get(news.registers().size() - 1);
    }

    void answered(NodeId by, RegisterValue answer) {
        Telling telling = told.get(by);
        if (telling == null || telling.isOver() || telling.question() != answer.number()) {
            return;
        }
        long least = last(telling.left().get(telling.index())).value();
        if (answer.value().isPresent() && answer.value().getAsLong() >= least) {
            Telling answered = new Telling(telling.left(), telling.index(), ++questions, telling.mode());
            told.put(by, answered);
            timers.later(() -> next(by, answered), PAUSE_NANOS);
        }
    }

    private void next(NodeId member, Telling telling) {
        if (isPresent(member, telling)) {
            begin(member, new Telling(telling.left(), telling.index() + 1, ++questions, telling.mode()));
        }
    }

    void unreachable(NodeId member) {
        told.remove(member);
    }
}
