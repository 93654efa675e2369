package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.NodeId;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * How many bytes a table may have that others' messages fill. Clients together have half of it, the rest is kept for members. A client
 * may have a quarter of what the clients leave free: so there is always something left for one more, however much the others want.
 * What clients have been given in one order fits in each other order for those that {@linkplain #returning return}. Not thread-safe.
 */
final class Share {

    /** What an account itself takes, without the name. */
    private static final int ACCOUNT = 160;
    /** A client may have one part in so many of what is free. */
    private static final int PARTS = 4;

    /** What one node takes of it. */
    static final class Account {
        private final NodeId node;
        private long bytes;
        private boolean isMember;
        /** How many records it owns. */
        int records;

        Account(NodeId node, boolean isMember) {
            this.node = node;
            this.isMember = isMember;
        }
    }

    private final long most;
    private final Predicate<NodeId> isMember;
    private final Map<NodeId, Account> accounts = new HashMap<>();
    private long taken;
    private long ofClients;
    private boolean returning;

    /** @param isMember of which nodes: the others are clients */
    Share(long most, Predicate<NodeId> isMember) {
        this.most = most;
        this.isMember = isMember;
    }

    /** Whether there is room for so many bytes whose they may be: then nothing more needs to be looked at. */
    boolean hasRoomForAnyone(int bytes) {
        return taken + bytes <= most && ofClients + bytes <= most / 2 / (PARTS + 1);
    }

    boolean hasRoom(NodeId node, long bytes) {
        return bytes <= 0 || bytes <= room(node);
    }

    /** How many bytes more the node may have. */
    long room(NodeId node) {
        Account account = accounts.get(node);
        boolean member = isMember.test(node);
        if (account == null) {
            return room(0, member) - ACCOUNT - node.name().length();
        }
        if (account.isMember != member) { // since the list has changed
            ofClients += member ? -account.bytes : account.bytes;
            account.isMember = member;
        }
        return room(account.bytes, member);
    }

    private long room(long own, boolean member) {
        long free = most - taken;
        if (member) {
            return free;
        }
        long left = most / 2 - ofClients;
        long alone = (most / 2 - own) / PARTS - own;
        return Math.min(free, returning ? Math.min(left, alone) : left / PARTS - own);
    }

    /**
     * Says whether it is asked for what a holder has had already, before this acceptor lost its memory. A client has had at most what one alone may
     * have, and all together half. If the usual rule held, those that come later could get less than before.
     */
    void returning(boolean now) {
        returning = now;
    }

    Account account(NodeId node) {
        Account account = accounts.get(node);
        if (account == null) {
            account = new Account(node, isMember.test(node));
            accounts.put(node, account);
            add(account, ACCOUNT + node.name().length());
        }
        return account;
    }

    /** Nothing is checked: what has to be kept is kept. */
    void take(NodeId node, long bytes) {
        add(account(node), bytes);
    }

    void giveBack(NodeId node, long bytes) {
        Account account = accounts.get(node);
        if (account != null) {
            giveBack(account, bytes);
        }
    }

    void take(@Nullable Account account, long bytes) {
        if (account != null) {
            add(account, bytes);
        }
    }

    void giveBack(@Nullable Account account, long bytes) {
        if (account != null) {
            add(account, -bytes);
            int own = ACCOUNT + account.node.name().length();
            if (account.bytes <= own) {
                add(account, -account.bytes);
                accounts.remove(account.node);
            }
        }
    }

    private void add(Account account, long bytes) {
        account.bytes += bytes;
        taken += bytes;
        ofClients += account.isMember ? 0 : bytes;
    }

    /** How many records the node owns, those included that have expired and are remembered yet. */
    int records(NodeId node) {
        Account account = accounts.get(node);
        return account == null ? 0 : account.records;
    }

    /** Whether so much is in use that what is not needed is better given up soon. */
    boolean isShort() {
        return taken > most / 2 || ofClients > most / 16;
    }

    /** The same, with nothing in use. */
    Share emptied() {
        return new Share(most, isMember);
    }
}
