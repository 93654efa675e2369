package io.paxoslease.transport;

import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.protocol.registers.MaxRegisterMessage;
import io.paxoslease.protocol.watch.WatchMessage;

/**
 * What a member takes from a client: requests. What members alone say is an answer, or news of what they know, and counts by the id of its sender;
 * a client may have the id of a member that is to come. So the role of the connection decides, before any node hears of it.
 */
public final class ClientRequests {

    private ClientRequests() {}

    /** Whether a client may say it. A new kind of message is none of these until it says so. Nothing of another algorithm is: such cells have no clients. */
    public static boolean contains(Message message) {
        return message instanceof PaxosMessage.Request
                || message instanceof MaxRegisterMessage.Request
                || message instanceof WatchMessage.Request;
    }
}
