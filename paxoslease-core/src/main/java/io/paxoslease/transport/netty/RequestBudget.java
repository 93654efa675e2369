package io.paxoslease.transport.netty;

import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.protocol.registers.MaxRegisterMessage;
import java.util.List;

/**
 * How many requests to acquire, and messages of registers, a member takes from one client: 2,000 a second, and 4,096 at once. Renewals and
 * releases are not counted, so that no lease is lost for it. On the event loop.
 */
final class RequestBudget {

    private static final long NANOS_OF_ONE = 500_000;
    private static final long MOST_NANOS = 4_096 * NANOS_OF_ONE;
    /** Renewals wait behind what the same client has asked before. */
    private static final long LONGEST_PAUSE_NANOS = 100_000_000;

    private long nanos = MOST_NANOS;
    private long filledAt;

    RequestBudget(long now) {
        this.filledAt = now;
    }

    /** Answers for how many nanoseconds nothing more should be read. */
    long spend(List<Message> messages, long now) {
        nanos = Math.min(MOST_NANOS, nanos + now - filledAt);
        filledAt = now;
        for (Message message : messages) {
            Message request = message instanceof PaxosMessage.InMode inMode ? inMode.request() : message;
            if (request instanceof PaxosMessage.Prepare
                    || request instanceof PaxosMessage.Propose
                    || request instanceof MaxRegisterMessage) {
                nanos -= NANOS_OF_ONE;
            }
        }
        nanos = Math.max(-MOST_NANOS, nanos);
        return nanos >= 0 ? 0 : Math.min(LONGEST_PAUSE_NANOS, -nanos);
    }
}
