package io.paxoslease.exploration;

import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.storage.Content;
import io.paxoslease.protocol.storage.RegisterMessage.Answer;
import io.paxoslease.protocol.storage.RegisterMessage.CompareAndSet;
import io.paxoslease.protocol.storage.RegisterMessage.Done;
import io.paxoslease.protocol.storage.RegisterMessage.Failed;
import io.paxoslease.protocol.storage.RegisterMessage.Read;
import io.paxoslease.protocol.storage.RegisterMessage.Request;
import io.paxoslease.protocol.storage.RegisterMessage.Value;
import io.paxoslease.protocol.storage.RegisterMessage.Write;
import io.paxoslease.protocol.storage.StoredRounds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Production clients of a lease in shared storage and its two regular registers, in discrete time. Its driver picks, again and
 * again, one of the things that can happen next. A write has its place in the order of writes from some moment of its duration
 * on; a read answers what was complete when it began, or anything that came to be under way since and is not older. What takes
 * longer than the bound is seen from one moment on, and not now and then.
 */
final class StorageWorld {

    static final String RESOURCE = "r";
    static final long UNIT = 1_000_000_000;
    private static final int NEVER = 1;
    private static final Set<Move.Kind> FAULTS = EnumSet.of(
            Move.Kind.CRASH, Move.Kind.FAIL, Move.Kind.PAUSE, Move.Kind.SUSPEND, Move.Kind.RESTORE, Move.Kind.SLOW);

    /** Something that can happen next. */
    record Move(Kind kind, int index, int choice) {

        /** What it is. */
        enum Kind {
            TICK,
            WAKE,
            DELIVER,
            PLACE,
            END,
            FAIL,
            ACQUIRE,
            RELEASE,
            RENEW,
            WITHDRAW,
            CRASH,
            PAUSE,
            SUSPEND,
            SLOW,
            RESTORE
        }
    }

    /** One access at the store. */
    static final class Flight {
        final int client;
        final int life;
        final Request request;
        final int sentAt;
        /** Of a read: the newest write that was complete when it began. */
        final int newestComplete;

        boolean slow;
        /** Of a slow one: it has no effect and no answer before. */
        int notBefore;

        boolean answered;
        /** Of a write: where it is in the order of writes; negative: nowhere yet. */
        int place = -1;

        boolean decided;

        Flight(int client, int life, Request request, int sentAt, int newestComplete) {
            this.client = client;
            this.life = life;
            this.request = request;
            this.sentAt = sentAt;
            this.newestComplete = newestComplete;
        }

        boolean isRead() {
            return request instanceof Read;
        }
    }

    /** An answer on its way to a client that may be paused. */
    record Mail(int client, int life, Answer answer) {}

    final StorageSetup setup;
    final Timing timing;
    int time;
    final List<StorageUser> users = new ArrayList<>();
    /** The writes of one register in their order; the first is that of nothing. */
    private static final class Order {
        final List<@Nullable Content> writes = new ArrayList<>();
        final List<Boolean> complete = new ArrayList<>();

        Order() {
            writes.add(null);
            complete.add(true);
        }

        int newestComplete() {
            return complete.lastIndexOf(true);
        }
    }

    private final Order stamps = new Order();
    private final Order releaseRecords = new Order();
    private final List<Flight> flights = new ArrayList<>();
    private final List<Mail> mail = new ArrayList<>();
    private final Map<Move.Kind, Integer> budget = new EnumMap<>(Move.Kind.class);
    private long highestToken;
    private long highestExclusiveToken;
    private final Set<Long> exclusiveTokens = new HashSet<>();
    private @Nullable String violation;
    final List<String> story = new ArrayList<>();
    boolean tells;
    int grants;

    StorageWorld(StorageSetup setup) {
        this.setup = setup;
        this.timing = new Timing(Duration.ofNanos(setup.maxLease * UNIT), setup.drift);
        budget.put(Move.Kind.ACQUIRE, setup.acquires);
        budget.put(Move.Kind.RELEASE, setup.releases);
        budget.put(Move.Kind.CRASH, setup.crashes);
        budget.put(Move.Kind.FAIL, setup.failures);
        budget.put(Move.Kind.PAUSE, setup.pauses);
        budget.put(Move.Kind.SUSPEND, setup.suspensions);
        budget.put(Move.Kind.WITHDRAW, setup.withdrawals);
        budget.put(Move.Kind.RENEW, setup.renewals);
        budget.put(Move.Kind.SLOW, setup.slows);
        budget.put(Move.Kind.RESTORE, setup.restores);
        for (int client = 0; client < setup.clients; client++) {
            users.add(new StorageUser(this, client));
        }
    }

    @Nullable
    String violation() {
        return violation;
    }

    /** Everything that can happen next; time goes on only when nothing is overdue. */
    List<Move> moves() {
        List<Move> moves = new ArrayList<>();
        boolean overdue = false;
        for (StorageUser user : users) {
            if (!user.isPaused() && user.isDue()) {
                moves.add(new Move(Move.Kind.WAKE, user.number, 0));
                overdue = true;
            }
            addUsersMoves(moves, user);
        }
        for (int i = 0; i < mail.size(); i++) {
            if (!users.get(mail.get(i).client()).isPaused()) {
                moves.add(new Move(Move.Kind.DELIVER, i, 0));
                overdue = true;
            }
        }
        for (int i = 0; i < flights.size(); i++) {
            overdue |= isOverdue(flights.get(i));
            addStoresMoves(moves, i);
        }
        if (isLeft(Move.Kind.RESTORE) && (!setup.restoresWhatIsKnown || isKnown())) {
            moves.add(new Move(Move.Kind.RESTORE, 0, 0));
            if (stamps.writes.size() > 2) {
                moves.add(new Move(Move.Kind.RESTORE, 0, stamps.writes.size() - 2));
            }
        }
        if (!overdue && time < setup.horizon) {
            moves.add(new Move(Move.Kind.TICK, 0, 0));
        }
        return moves;
    }

    /** Whether every client knows the latest round, and one of them alone wrote in it: what it may not know, it cannot miss. */
    private boolean isKnown() {
        long newest = 0;
        String writer = "";
        boolean alone = true;
        for (Content each : stamps.writes) {
            long round = StoredRounds.of(each, setup.compares);
            String owner = round == 0 ? "" : StoredRounds.writer(each);
            alone = round > newest || (alone && (round < newest || owner.equals(writer)));
            writer = round > newest ? owner : writer;
            newest = Math.max(newest, round);
        }
        long known = newest;
        return alone
                && flights.stream().allMatch(flight -> flight.isRead() || flight.request.ofRelease())
                && users.stream().allMatch(user -> user.knows() >= known);
    }

    /** An older content is there again, in the register and in the release record; who starts now remembers nothing. */
    private void restore(int place) {
        stamps.writes.add(stamps.writes.get(place));
        stamps.complete.add(true);
        releaseRecords.writes.add(releaseRecords.writes.get(Math.min(place, releaseRecords.writes.size() - 1)));
        releaseRecords.complete.add(true);
        if (setup.restoresWhatIsKnown) {
            budget.put(Move.Kind.CRASH, 0);
        }
    }

    private void addUsersMoves(List<Move> moves, StorageUser user) {
        int i = user.number;
        if (user.isPaused()) {
            return;
        }
        addIf(moves, user.canAcquire() && time <= setup.lastAcquire, Move.Kind.ACQUIRE, i);
        addIf(moves, user.canWithdraw(), Move.Kind.WITHDRAW, i);
        addIf(moves, user.believes(), Move.Kind.RELEASE, i);
        addIf(moves, user.believes(), Move.Kind.RENEW, i);
        addIf(moves, user.isBusy(), Move.Kind.CRASH, i);
        addIf(moves, user.isBusy(), Move.Kind.PAUSE, i);
        addIf(moves, user.isBusy(), Move.Kind.SUSPEND, i);
    }

    private void addIf(List<Move> moves, boolean possible, Move.Kind kind, int index) {
        if (possible && isLeft(kind)) {
            moves.add(new Move(kind, index, 0));
        }
    }

    private boolean isLeft(Move.Kind kind) {
        return budget.getOrDefault(kind, 0) > 0
                && (!FAULTS.contains(kind) || (setup.faultsFrom <= time && time < setup.stableFrom));
    }

    private void addStoresMoves(List<Move> moves, int i) {
        Flight flight = flights.get(i);
        if (time < flight.notBefore) {
            addIf(moves, !flight.answered, Move.Kind.FAIL, i);
            return;
        }
        if (flight.isRead()) {
            for (int value : candidates(flight)) {
                moves.add(new Move(Move.Kind.END, i, value));
            }
        } else {
            if (!flight.decided && setup.places) {
                moves.add(new Move(Move.Kind.PLACE, i, 0));
            }
            moves.add(new Move(Move.Kind.END, i, 0));
            if (flight.answered && !flight.decided) {
                moves.add(new Move(Move.Kind.END, i, NEVER));
            }
        }
        addIf(moves, !flight.answered, Move.Kind.FAIL, i);
        if (!flight.slow && !flight.answered && isLeft(Move.Kind.SLOW)) {
            for (int lateness :
                    new int[] {0, setup.slowAccess / 4, setup.slowAccess / 2, 3 * setup.slowAccess / 4, setup.slowAccess
                    }) {
                moves.add(new Move(Move.Kind.SLOW, i, lateness));
            }
        }
    }

    private void slow(Flight flight, int lateness) {
        flight.slow = true;
        flight.notBefore = lateness == 0 ? 0 : flight.sentAt + lateness;
    }

    private Order order(Request request) {
        return request.ofRelease() ? releaseRecords : stamps;
    }

    private boolean isOverdue(Flight flight) {
        int longest = flight.slow ? setup.slowAccess : setup.access - 1;
        return time - flight.sentAt >= longest;
    }

    /** As places in the order of writes; those that have none yet as negative numbers. */
    private List<Integer> candidates(Flight read) {
        List<Integer> found = new ArrayList<>();
        for (int place = read.newestComplete; place < order(read.request).writes.size(); place++) {
            found.add(place);
        }
        for (int i = 0; i < flights.size(); i++) {
            Flight other = flights.get(i);
            if (other.request instanceof Write
                    && other.request.ofRelease() == read.request.ofRelease()
                    && other.place < 0
                    && time - other.sentAt < setup.access) {
                found.add(-1 - i);
            }
        }
        return found;
    }

    void apply(Move move) {
        if (tells) {
            story.add(time + " " + describe(move));
        }
        budget.computeIfPresent(move.kind(), (kind, left) -> left - 1);
        switch (move.kind()) {
            case TICK -> time++;
            case WAKE -> users.get(move.index()).wake();
            case DELIVER -> {
                Mail due = mail.remove(move.index());
                users.get(due.client()).receive(due.life(), due.answer());
            }
            case PLACE -> place(flights.get(move.index()));
            case END -> end(move.index(), move.choice());
            case FAIL -> fail(flights.get(move.index()));
            case ACQUIRE -> users.get(move.index()).acquire();
            case WITHDRAW -> users.get(move.index()).withdraw();
            case RELEASE -> users.get(move.index()).release();
            case RENEW -> users.get(move.index()).renew();
            case CRASH -> crash(users.get(move.index()));
            case PAUSE -> users.get(move.index()).pause();
            case SUSPEND -> users.get(move.index()).suspend();
            case SLOW -> slow(flights.get(move.index()), move.choice());
            case RESTORE -> restore(move.choice());
        }
        check();
    }

    private String describe(Move move) {
        boolean ofFlight = move.kind() == Move.Kind.PLACE
                || move.kind() == Move.Kind.END
                || move.kind() == Move.Kind.FAIL
                || move.kind() == Move.Kind.SLOW;
        return ofFlight
                ? move.kind() + " " + move.choice() + " of client " + flights.get(move.index()).client + ": "
                        + flights.get(move.index()).request
                : move.kind() == Move.Kind.DELIVER
                        ? "DELIVER " + mail.get(move.index())
                        : move.kind() + " " + move.index();
    }

    void send(StorageUser user, Request request) {
        if (!user.now().moment().isBefore(request.latest())) {
            mail.add(new Mail(user.number, user.life, new Failed(request.access(), "late")));
            return;
        }
        flights.add(
                new Flight(user.number, user.life, request, time, order(request).newestComplete()));
    }

    private void place(Flight flight) {
        flight.decided = true;
        Order order = order(flight.request);
        if (flight.request instanceof CompareAndSet put) {
            Content last = order.writes.get(order.writes.size() - 1);
            if (!Objects.equals(last, put.expected())) {
                return;
            }
        }
        flight.place = order.writes.size();
        order.writes.add(
                flight.request instanceof Write write ? write.content() : ((CompareAndSet) flight.request).content());
        order.complete.add(false);
    }

    private void end(int index, int choice) {
        Flight flight = flights.get(index);
        List<Flight> others = List.copyOf(flights);
        flights.remove(flight);
        long access = flight.request.access();
        if (flight.isRead()) {
            Content found = choice >= 0
                    ? order(flight.request).writes.get(choice)
                    : ((Write) others.get(-1 - choice).request).content();
            answer(flight, new Value(access, found));
        } else {
            if (!flight.decided && choice != NEVER) {
                place(flight);
            }
            if (flight.place >= 0) {
                order(flight.request).complete.set(flight.place, true);
            }
            answer(flight, new Done(access, flight.request instanceof Write || flight.place >= 0));
        }
    }

    private void answer(Flight flight, Answer answer) {
        if (!flight.answered) {
            flight.answered = true;
            deliver(new Mail(flight.client, flight.life, answer));
        }
    }

    private void deliver(Mail answer) {
        StorageUser user = users.get(answer.client());
        if (user.isPaused()) {
            mail.add(answer);
        } else {
            user.receive(answer.life(), answer.answer());
        }
    }

    /** The client hears of a failure; a write has its effect all the same, until its time is over. */
    private void fail(Flight flight) {
        if (flight.isRead()) {
            flights.remove(flight);
        }
        answer(flight, new Failed(flight.request.access(), "lost"));
    }

    private void crash(StorageUser user) {
        for (Flight flight : flights) {
            flight.answered |= flight.client == user.number;
        }
        mail.removeIf(each -> each.client() == user.number);
        user.restart();
    }

    /** What no client may see. */
    private void check() {
        int alone = 0;
        int together = 0;
        for (StorageUser user : users) {
            if (user.believes()) {
                alone += user.shares() ? 0 : 1;
                together += user.shares() ? 1 : 0;
            }
        }
        if (violation == null && time >= setup.judgedFrom && (alone > 1 || (alone == 1 && together > 0))) {
            violation = "%d hold alone, and %d share, at %d".formatted(alone, together, time);
        }
    }

    void granted(StorageUser user, long token) {
        grants++;
        long mustBeAbove = user.shares() ? highestExclusiveToken : highestToken;
        if (violation == null && setup.tokensRise && token <= mustBeAbove) {
            violation = "token %d after %d".formatted(token, mustBeAbove);
        }
        if (violation == null && !user.shares() && !exclusiveTokens.add(token)) {
            violation = "token %d twice".formatted(token);
        }
        highestToken = Math.max(highestToken, token);
        if (!user.shares()) {
            highestExclusiveToken = token;
        }
    }

    /** What the future depends on, for a fingerprint. */
    List<Object> state() {
        List<Object> state = new ArrayList<>(List.of(time, stamps, releaseRecords, flights, mail, highestToken));
        state.add(budget);
        users.forEach(user -> state.add(user.state()));
        return state;
    }

    /** No faults from now on, and as much time and as many wishes as it takes. */
    void heal() {
        setup.stableFrom = time;
        budget.put(Move.Kind.RELEASE, 0);
        budget.put(Move.Kind.WITHDRAW, 0);
        setup.horizon = Integer.MAX_VALUE;
        budget.put(Move.Kind.ACQUIRE, Integer.MAX_VALUE);
        users.forEach(StorageUser::unpause);
    }
}
