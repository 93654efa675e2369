package io.paxoslease.protocol.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.AcquireRequest.WaitMode;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Effect.Denial;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.storage.RegisterMessage.CompareAndSet;
import io.paxoslease.protocol.storage.RegisterMessage.Done;
import io.paxoslease.protocol.storage.RegisterMessage.Failed;
import io.paxoslease.protocol.storage.RegisterMessage.Read;
import io.paxoslease.protocol.storage.RegisterMessage.Request;
import io.paxoslease.protocol.storage.RegisterMessage.Value;
import io.paxoslease.protocol.storage.RegisterMessage.Write;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One client, whose store and clock are the test's: every message and every moment by hand. */
class StorageClientTest {

    private static final long MILLI = 1_000_000;
    private static final long BOUND = 100 * MILLI;
    private static final long LEASE = 3_000 * MILLI;
    private static final NodeId SELF = new NodeId("a");
    private static final Incarnation OWN = new Incarnation(1, 1);
    private static final Incarnation OTHER = new Incarnation(9, 9);
    /** How far apart sequence numbers are where stamps are written and not compared. */
    private static final long ROUND = 65_536;
    /** Of leases of 5 s, with a drift of 10 %. */
    private static final long LONGEST_MILLIS = 6_112;

    private final Timing timing = new Timing(Duration.ofSeconds(5), 0.1);
    private final List<Effect> effects = new ArrayList<>();
    private long nanos;
    private long ids;
    private boolean compares;
    private StorageClient client = client(true, false);

    private StorageClient client(boolean compares, boolean confirms) {
        this.compares = compares;
        StorageRules rules = new StorageRules(timing, BOUND, compares, confirms);
        return new StorageClient(SELF, rules, "the store", () -> OWN, () -> 0, now());
    }

    private Reading now() {
        return new Reading(new Moment(nanos), nanos / 1_000);
    }

    private void step(Event event) {
        effects.addAll(client.step(event, now()));
    }

    private void pass(long millis) {
        nanos += millis * MILLI;
        step(new Event.Woken());
    }

    private void acquire(WaitMode waitMode) {
        step(new Event.Acquire(new AcquireRequest(++ids, "r", LEASE, true, waitMode, null)));
    }

    /** The latest thing that was asked of the store. */
    private Request asked() {
        return effects.stream()
                .filter(Effect.Send.class::isInstance)
                .map(effect -> (Request) ((Effect.Send) effect).message())
                .reduce((first, second) -> second)
                .orElseThrow();
    }

    private void answer(RegisterMessage.Answer answer) {
        step(new Event.Received(RegisterMessage.STORE, answer));
    }

    private void value(@Nullable Content content) {
        assertThat(asked()).isInstanceOf(Read.class);
        answer(new Value(asked().access(), content));
    }

    private void done(boolean replaced) {
        answer(new Done(asked().access(), replaced));
    }

    private Content stamp(String owner, long serial, Stamp.State state) {
        return stamp(owner, serial, state, compares);
    }

    private static Content stamp(String owner, long serial, Stamp.State state, boolean compares) {
        return StampCodec.encode(stamp(owner, serial, compares ? 7 : 7 * ROUND, state, compares));
    }

    private static Stamp stamp(String owner, long serial, long sequence, Stamp.State state, boolean compares) {
        return new Stamp(new NodeId(owner), OTHER, serial, sequence, sequence, LEASE, BOUND, compares, "", state);
    }

    private <T extends Effect> List<T> all(Class<T> type) {
        return effects.stream().filter(type::isInstance).map(type::cast).toList();
    }

    /** The token that is granted when the register has that content. */
    private long tokenAbove(long tokensAbove, @Nullable Content found) {
        StorageRules rules = new StorageRules(timing, BOUND, compares, true, tokensAbove);
        client = new StorageClient(SELF, rules, "the store", () -> OWN, () -> 0, now());
        effects.clear();
        acquire(WaitMode.WAIT);
        value(found);
        done(true);
        if (asked() instanceof Write) {
            pass(245);
            value(((Write) asked(Write.class)).content());
        }
        return all(Effect.Granted.class).get(0).token();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void tokensAreAboveTheConfiguredNumberAndAboveWhatTheRegisterHas(boolean compares) {
        this.compares = compares;
        Content released = stamp("b", 1, Stamp.State.RELEASED); // of sequence number 7
        assertThat(tokenAbove(0, null)).isPositive();
        assertThat(tokenAbove(1L << 52, null)).isGreaterThan(1L << 52);
        assertThat(tokenAbove(1_000, released)).isGreaterThan(1_000);
        assertThat(tokenAbove(6, released)).isGreaterThan(7);
    }

    private void hold() {
        acquire(WaitMode.WAIT);
        value(null);
        done(true);
        if (asked() instanceof Write) {
            pass(245);
            value(((Write) asked(Write.class)).content());
        }
        assertThat(all(Effect.Granted.class)).hasSize(1);
    }

    private Request asked(Class<? extends Request> type) {
        return effects.stream()
                .filter(Effect.Send.class::isInstance)
                .map(effect -> (Request) ((Effect.Send) effect).message())
                .filter(type::isInstance)
                .reduce((first, second) -> second)
                .orElseThrow();
    }

    @Test
    void aFreeLeaseTakesALookAndOneConditionalWrite() {
        acquire(WaitMode.WAIT);
        pass(10);
        value(null);
        CompareAndSet put = (CompareAndSet) asked();
        assertThat(put.expected()).isNull();
        pass(20);
        done(true);
        Effect.Granted granted = all(Effect.Granted.class).get(0);
        assertThat(granted.until().moment().nanos()).as("from before the write").isEqualTo(10 * MILLI + LEASE);
        assertThat(granted.token()).isEqualTo(1);
    }

    @Test
    void whatOnlyWritesLooksAgainTwoBoundsLater() {
        client = client(false, false);
        acquire(WaitMode.WAIT);
        value(null);
        Write write = (Write) asked();
        assertThat(write.latest().nanos()).as("within a bound of the look").isEqualTo(BOUND);
        done(true);
        pass(244);
        assertThat(asked()).isSameAs(write);
        pass(1);
        value(write.content());
        assertThat(all(Effect.Granted.class).get(0).until().moment().nanos()).isEqualTo(LEASE);
    }

    @Test
    void whoseStampIsGoneAfterTheWaitHoldsNothing() {
        client = client(false, false);
        acquire(WaitMode.WAIT);
        value(null);
        done(true);
        pass(245);
        value(stamp("b", 1, Stamp.State.HELD));
        assertThat(all(Effect.Granted.class)).isEmpty();
    }

    /** Its own stamp may have been overwritten by a writer who came and went before those readers began. */
    @Test
    void aReaderHoldsByAnothersStampOnlyIfThatOneJoinedTheSameReaders() {
        for (boolean same : new boolean[] {true, false}) {
            client = client(false, false);
            effects.clear();
            nanos = 0;
            step(new Event.Acquire(new AcquireRequest(++ids, "r", LEASE, true, WaitMode.WAIT, null, true)));
            value(readers(1, "x/1"));
            assertThat(((Write) asked()).content().toString()).contains("readers=x/1 ");
            done(true);
            pass(245);
            value(readers(20, same ? "x/1" : "x/2"));
            assertThat(all(Effect.Granted.class)).hasSize(same ? 1 : 0);
        }
    }

    private Content readers(long sequence, String readers) {
        return StampCodec.encode(new Stamp(
                new NodeId("b"),
                OTHER,
                sequence,
                sequence * ROUND,
                sequence * ROUND,
                timing.maxLeaseNanos(),
                BOUND,
                compares,
                readers,
                Stamp.State.SHARED));
    }

    @Test
    void anotherClientsLeaseIsDeniedToWhoAsksOnceAndItsOwnerNamed() {
        acquire(WaitMode.TRY_ONCE);
        value(stamp("b", 1, Stamp.State.HELD));
        assertThat(all(Effect.Denied.class)).containsExactly(new Effect.Denied(1, "r", Denial.HELD, new NodeId("b")));
    }

    @Test
    void aStampIsWaitedForFromWhenItWasSeenFirstAlsoByWhoAsksNowAndThen() {
        Content other = stamp("b", 1, Stamp.State.HELD);
        acquire(WaitMode.TRY_ONCE);
        value(other);
        pass(3_660);
        acquire(WaitMode.TRY_ONCE);
        value(other);
        assertThat(all(Effect.Denied.class)).hasSize(2);
        pass(10);
        acquire(WaitMode.TRY_ONCE);
        value(other);
        assertThat(((CompareAndSet) asked()).expected()).isEqualTo(other);
    }

    @Test
    void aReleasedLeaseIsTakenAtOnceUnderAHigherToken() {
        acquire(WaitMode.WAIT);
        value(stamp("b", 1, Stamp.State.RELEASED));
        done(true);
        assertThat(all(Effect.Granted.class).get(0).token()).isEqualTo(8);
    }

    @Test
    void anAnswerThatTakesTheBoundIsAFailureWhateverItSays() {
        acquire(WaitMode.TRY_ONCE);
        Request look = asked();
        nanos += BOUND;
        answer(new Value(look.access(), null));
        assertThat(all(Effect.Denied.class).get(0).reason()).isEqualTo(Denial.NO_STORE);
        assertThat(all(Effect.Notice.class).get(0).text())
                .contains("took 100 ms, and the access bound is 100 ms")
                .contains("raise accessBound");
    }

    @Test
    void afterAWriteWhoseOutcomeIsUnknownNothingBeginsBeforeItHasLanded() {
        client = client(false, false);
        hold();
        pass(1_000);
        Request renewal = asked();
        answer(new Failed(renewal.access(), "no"));
        pass(100);
        assertThat(asked()).as("gamma times the bound has not passed").isSameAs(renewal);
        pass(23);
        assertThat(asked()).isInstanceOf(Write.class).isNotSameAs(renewal);
    }

    @Test
    void itMayYetLandWhenTheLeaseIsWantedAgain() {
        client = client(false, false);
        acquire(WaitMode.WAIT);
        value(null);
        Request write = asked();
        step(new Event.Withdraw("r", ids));
        answer(new Failed(write.access(), "no"));
        acquire(WaitMode.WAIT);
        pass(122);
        assertThat(asked()).isSameAs(write);
        pass(1);
        assertThat(asked()).isInstanceOf(Read.class).isNotSameAs(write);
    }

    @Test
    void aReaderDoesNotHoldByAStampWithALowerSequenceNumber() {
        client = client(false, false);
        step(new Event.Acquire(new AcquireRequest(++ids, "r", LEASE, true, WaitMode.WAIT, null, true)));
        value(readers(7, "x/1"));
        done(true);
        pass(245);
        value(readers(7, "x/1"));
        assertThat(all(Effect.Granted.class)).isEmpty();
    }

    @Test
    void anOutageIsToldOnceAndItsEndAsWell() {
        for (int i = 0; i < 3; i++) {
            acquire(WaitMode.TRY_ONCE);
            answer(new Failed(asked().access(), "the disk is full"));
            assertThat(client.store(now()).trouble()).isEqualTo("the disk is full");
        }
        assertThat(all(Effect.Notice.class)).singleElement().satisfies(notice -> {
            assertThat(notice.level()).isEqualTo(Effect.Notice.Level.WARN);
            assertThat(notice.text()).contains("the store failed: the disk is full");
        });
        effects.clear();
        acquire(WaitMode.TRY_ONCE);
        value(stamp("b", 1, Stamp.State.HELD));
        assertThat(client.store(now()).trouble()).isNull();
        assertThat(all(Effect.Notice.class))
                .containsExactly(new Effect.Notice(Effect.Notice.Level.INFO, "the store works again"));
    }

    @Test
    void aStoreThatDoesNotAnswerIsInTrouble() {
        acquire(WaitMode.WAIT);
        pass(100);
        assertThat(client.store(now()).trouble()).isEqualTo("no answer within 100 ms");
        assertThat(all(Effect.Notice.class).get(0).text()).contains("no answer within 100 ms");
    }

    @Test
    void whatALateWriteMeansDependsOnTheForm() {
        for (boolean compares : new boolean[] {true, false}) {
            client = client(compares, false);
            effects.clear();
            acquire(WaitMode.TRY_ONCE);
            value(null);
            nanos += BOUND;
            done(true);
            Effect.Notice late = all(Effect.Notice.class).get(0);
            assertThat(late.level()).isEqualTo(compares ? Effect.Notice.Level.WARN : Effect.Notice.Level.ERROR);
            assertThat(late.text()).contains(compares ? "neither taken nor renewed by it" : "not safe");
            assertThat(client.store(now()).trouble()).isEqualTo("an access took 100 ms");
        }
    }

    @Test
    void aLateReadIsNoError() {
        client = client(false, false);
        acquire(WaitMode.TRY_ONCE);
        nanos += BOUND;
        value(null);
        assertThat(all(Effect.Notice.class)).singleElement().satisfies(late -> {
            assertThat(late.level()).isEqualTo(Effect.Notice.Level.WARN);
            assertThat(late.text()).contains("neither taken nor renewed by it");
        });
    }

    @Test
    void aLeaseWhoseRenewalFailedIsReleasedByTheStampBeforeIt() {
        client = client(false, false);
        hold();
        pass(1_000);
        Request renewal = asked();
        nanos += 1_000 * MILLI;
        answer(new Failed(renewal.access(), "late"));
        nanos = 2_900 * MILLI;
        long token = all(Effect.Granted.class).get(0).token();
        int before = all(Effect.Send.class).size();
        step(new Event.GiveUp("r", token));
        assertThat(all(Effect.Send.class)).hasSize(before + 1);
        Write released = (Write) asked();
        assertThat(released.ofRelease()).isTrue();
        assertThat(StampCodec.decode(released.content()).serial())
                .as("the last one that is known to have been written")
                .isEqualTo(1);
    }

    @Test
    void aReleaseThatFailsIsWrittenAgainAndGivenUpAfterThree() {
        client = client(false, false);
        hold();
        giveUp();
        for (int i = 0; i < 3; i++) {
            assertThat(asked()).isInstanceOf(Write.class);
            assertThat(asked().ofRelease()).isTrue();
            answer(new Failed(asked().access(), "no"));
            pass(100);
        }
        assertThat(all(Effect.Send.class)).hasSize(6);
    }

    private void giveUp() {
        step(new Event.GiveUp("r", all(Effect.Granted.class).get(0).token()));
    }

    /** The renewal is in the register by now, and a record of the stamp before it would release nothing. */
    @Test
    void aRenewalUnderWayIsAwaitedAndReleased() {
        client = client(false, false);
        hold();
        pass(1_000);
        Write renewal = (Write) asked();
        giveUp();
        assertThat(asked()).isSameAs(renewal);
        done(true);
        assertThat(((Write) asked()).content())
                .isEqualTo(
                        StampCodec.encode(StampCodec.decode(renewal.content()).released()));
        assertThat(asked().ofRelease()).isTrue();
    }

    @Test
    void aStampThatTheReleaseRecordNamesIsFreeAndNoOtherOneOfItsOwner() {
        client = client(false, false);
        for (long serial = 1; serial <= 2; serial++) {
            effects.clear();
            acquire(WaitMode.TRY_ONCE);
            assertThat(asked().ofRelease()).isFalse();
            value(stamp("b", 2, Stamp.State.HELD));
            assertThat(asked().ofRelease()).isTrue();
            value(stamp("b", serial, Stamp.State.RELEASED));
            assertThat(all(Effect.Denied.class)).hasSize(serial == 2 ? 0 : 1);
        }
        assertThat(asked().ofRelease()).as("the register decides").isFalse();
        value(stamp("b", 3, Stamp.State.HELD));
        assertThat(all(Effect.Send.class)).noneMatch(send -> send.message() instanceof Write);
        value(stamp("b", 2, Stamp.State.RELEASED));
        assertThat(all(Effect.Denied.class)).hasSize(1);
    }

    @Test
    void whoWaitsPollsTheReleaseRecordAndLooksAtTheRegisterNowAndThenOrWhenTheRecordChanges() {
        client = client(false, false);
        acquire(WaitMode.WAIT);
        value(stamp("b", 1, Stamp.State.HELD));
        value(null);
        for (int i = 0; i < 3; i++) {
            pass(25);
            assertThat(asked().ofRelease()).isTrue();
            value(null);
        }
        pass(25);
        assertThat(asked().ofRelease()).as("once every four").isFalse();
        value(stamp("b", 1, Stamp.State.HELD));
        value(null);
        pass(25);
        value(stamp("b", 5, Stamp.State.RELEASED));
        assertThat(asked().ofRelease())
                .as("a stamp that it does not know was released")
                .isFalse();
        value(stamp("b", 5, Stamp.State.HELD));
        assertThat(asked()).isInstanceOf(Write.class);
    }

    @Test
    void aReleaseRecordThatIsNoneIsToldOnceAndTheLeaseLapses() {
        client = client(false, false);
        acquire(WaitMode.WAIT);
        value(stamp("b", 1, Stamp.State.HELD));
        value(Content.of("hello"));
        pass(25);
        value(Content.of("hello"));
        assertThat(all(Effect.Notice.class)).singleElement().satisfies(notice -> assertThat(notice.text())
                .contains("release record of lease 'r' cannot be used: it is no stamp"));
        assertThat(all(Effect.Denied.class)).isEmpty();
        pass(3_800);
        value(stamp("b", 1, Stamp.State.HELD));
        assertThat(asked()).isInstanceOf(Write.class);
    }

    @Test
    void clientsThatNumberTheirStampsAtOnceNumberThemApart() {
        StorageRules rules = new StorageRules(timing, BOUND, false, false);
        long one = rules.sequenceAbove(7 * ROUND + 5, OWN);
        long two = rules.sequenceAbove(7 * ROUND + 5, OTHER);
        assertThat(one).isNotEqualTo(two).isBetween(8 * ROUND, 9 * ROUND - 1);
        assertThat(rules.sequenceAbove(two, OWN)).isBetween(9 * ROUND, 10 * ROUND - 1);
        assertThat(new StorageRules(timing, BOUND, true, false).sequenceAbove(7, OWN))
                .isEqualTo(8);
    }

    @Test
    void aClientThatKnowsMoreThanTheStoreAcquiresNothingUntilTheLongestLeaseIsOver() {
        for (boolean emptied : new boolean[] {false, true}) {
            client = client(true, false);
            effects.clear();
            nanos = 0;
            acquire(WaitMode.TRY_ONCE);
            value(stamp("b", 1, Stamp.State.HELD));
            pass(1_000);
            acquire(WaitMode.WAIT);
            Content old = StampCodec.encode(stamp("b", 9, 6, Stamp.State.RELEASED, true));
            value(emptied ? null : old);
            assertThat(all(Effect.Notice.class).get(0).text())
                    .contains(emptied ? "is empty, and had number 7" : "has number 6, by 'b', and had number 7 before")
                    .contains("for 6.1 s")
                    .contains("tokensAbove");
            assertThat(client.store(now()).problem()).contains("the store has lost writes");
            while (asked() instanceof Read) {
                pass(25);
                value(emptied ? null : old);
            }
            assertThat(nanos / MILLI).isBetween(1_000 + LONGEST_MILLIS, 1_000 + LONGEST_MILLIS + 50);
            assertThat(client.store(now()).problem()).isNull();
            done(true);
            assertThat(all(Effect.Granted.class).get(0).token())
                    .as("above what was lost")
                    .isEqualTo(8);
        }
    }

    /** Readers who came since know nothing of what the register has lost. */
    @Test
    void aReaderDoesNotJoinOthersWhileTheLeaseIsClosed() {
        client = client(false, false);
        for (int i = 0; i < 2; i++) {
            acquire(WaitMode.TRY_ONCE);
            value(stamp("b", 1, Stamp.State.HELD));
            value(null);
            pass(300);
        }
        acquire(WaitMode.TRY_ONCE);
        value(StampCodec.encode(stamp("b", 9, 6 * ROUND, Stamp.State.HELD, false)));
        value(null);
        step(new Event.Acquire(new AcquireRequest(++ids, "r", LEASE, true, WaitMode.TRY_ONCE, null, true)));
        value(readers(9, "x/1"));
        assertThat(all(Effect.Send.class)).noneMatch(send -> send.message() instanceof Write);
        assertThat(all(Effect.Denied.class)).hasSize(4);
    }

    /** What was known before the loss was noticed was lost by then, however late that is seen of each register. */
    @Test
    void aLossIsWaitedForOnceAndNotForEachRegister() {
        for (String resource : List.of("r", "s")) {
            step(new Event.Acquire(new AcquireRequest(++ids, resource, LEASE, true, WaitMode.TRY_ONCE, null)));
            value(stamp("b", 1, Stamp.State.HELD));
        }
        pass(1_000);
        acquire(WaitMode.TRY_ONCE);
        value(null);
        assertThat(all(Effect.Denied.class).get(2).reason()).isEqualTo(Denial.RESTORED);
        pass(LONGEST_MILLIS);
        step(new Event.Acquire(new AcquireRequest(++ids, "s", LEASE, true, WaitMode.TRY_ONCE, null)));
        value(null);
        assertThat(asked()).isInstanceOf(CompareAndSet.class);
        done(true);
        assertThat(all(Effect.Granted.class)).singleElement().satisfies(granted -> assertThat(granted.token())
                .isEqualTo(8));
        pass(100);
        step(new Event.GiveUp("s", 8));
        done(true);
        step(new Event.Acquire(new AcquireRequest(++ids, "s", LEASE, true, WaitMode.TRY_ONCE, null)));
        value(null);
        assertThat(all(Effect.Denied.class)).last().satisfies(denied -> assertThat(denied.reason())
                .as("a second loss")
                .isEqualTo(Denial.RESTORED));
    }

    /** A write may have landed far too late: other leases of the store are none the worse for it. */
    @Test
    void aClientThatFindsAnOlderStampWrittenDoesNotAcquireThatLeaseUntilTheLongestOneIsOver() {
        client = client(false, false);
        for (int i = 0; i < 2; i++) {
            acquire(WaitMode.TRY_ONCE);
            value(stamp("b", 1, Stamp.State.HELD));
            value(null);
            pass(i == 0 ? 245 : 755);
        }
        acquire(WaitMode.WAIT);
        Content old = StampCodec.encode(stamp("b", 9, 6 * ROUND, Stamp.State.HELD, false));
        value(old);
        assertThat(all(Effect.Notice.class)).singleElement().satisfies(notice -> assertThat(notice.text())
                .contains("has number 393216, by 'b', and had number 458752 before: a write has landed far too late"));
        assertThat(client.store(now()).problem()).isNull();
        Content record = StampCodec.encode(stamp("b", 9, 6 * ROUND, Stamp.State.RELEASED, false));
        while (asked() instanceof Read) {
            value(asked().ofRelease() ? record : old);
            pass(asked() instanceof Read ? 25 : 0);
        }
        assertThat(nanos / MILLI)
                .as("from the look that found it, two bounds more, and a poll")
                .isBetween(1_000 + LONGEST_MILLIS + 244, 1_000 + LONGEST_MILLIS + 300);
        assertThat(StampCodec.decode(((Write) asked()).content()).sequence()).isGreaterThan(8 * ROUND);
        acquire(WaitMode.TRY_ONCE);
        assertThat(all(Effect.Denied.class)).extracting(Effect.Denied::reason).doesNotContain(Denial.RESTORED);
    }

    /** A number that it took for a write that never came to be there is none that the store has had. */
    @Test
    void whatAFailedWriteWouldHaveNumberedIsNotMissed() {
        acquire(WaitMode.TRY_ONCE);
        value(null);
        answer(new Failed(asked().access(), "no"));
        pass(200);
        acquire(WaitMode.TRY_ONCE);
        value(null);
        assertThat(all(Effect.Notice.class)).extracting(Effect.Notice::level).doesNotContain(Effect.Notice.Level.ERROR);
        assertThat(asked()).isInstanceOf(CompareAndSet.class);
    }

    @Test
    void aHolderWhoseRegisterIsEmptyLosesTheLeaseAndSaysWhy() {
        client = client(false, true);
        hold();
        pass(1_000);
        value(null);
        assertThat(all(Effect.Lost.class)).hasSize(1);
        assertThat(all(Effect.Notice.class))
                .extracting(Effect.Notice::text)
                .anyMatch(text -> text.contains("its register was emptied while it was held here"));
        acquire(WaitMode.TRY_ONCE);
        value(null);
        assertThat(all(Effect.Denied.class).get(0).reason()).isEqualTo(Denial.RESTORED);
    }

    @Test
    void aReleaseSaysSoUnderTheSameSequenceNumber() {
        hold();
        step(new Event.GiveUp("r", 1));
        Stamp released = StampCodec.decode(((CompareAndSet) asked()).content());
        assertThat(released.state()).isEqualTo(Stamp.State.RELEASED);
        assertThat(released.sequence()).isEqualTo(1);
    }

    @Test
    void aRenewalByReadingSeesThatTheLeaseIsAnothersAndSaysSo() {
        client = client(false, true);
        hold();
        pass(1_000);
        value(stamp("b", 1, Stamp.State.HELD));
        assertThat(all(Effect.Lost.class)).hasSize(1);
        assertThat(all(Effect.Notice.class).get(0).text()).contains("another client has written");
    }

    @Test
    void whenTheClocksDisagreeALeaseIsSuspectUntilTheStoreConfirmsIt() {
        hold();
        step(new Event.ClocksDisagree(false));
        assertThat(all(Effect.Suspected.class)).hasSize(1);
        value(((CompareAndSet) asked(CompareAndSet.class)).content());
        done(true);
        assertThat(all(Effect.Extended.class)).hasSize(1);
    }

    @Test
    void whatNoClientWroteIsReportedAndLeftAlone() {
        acquire(WaitMode.WAIT);
        value(Content.of("hello"));
        assertThat(all(Effect.Denied.class).get(0).reason()).isEqualTo(Denial.UNREADABLE);
        assertThat(all(Effect.Notice.class).get(0).text()).contains("Nothing is overwritten");
        assertThat(asked()).isInstanceOf(Read.class);
    }

    @Test
    void aStampOfOnesOwnIdThatChangesShowsAnotherClientUnderIt() {
        nanos = 1_000 * MILLI;
        acquire(WaitMode.WAIT);
        value(stamp("a", 1, Stamp.State.HELD));
        assertThat(all(Effect.Notice.class)).as("an earlier life's").isEmpty();
        pass(100);
        value(stamp("a", 2, Stamp.State.HELD));
        assertThat(all(Effect.Denied.class).get(0).reason()).isEqualTo(Denial.DUPLICATE);
        assertThat(client.store(now()).problem()).contains("the node id 'a' is alive");
        acquire(WaitMode.WAIT);
        assertThat(all(Effect.Denied.class)).hasSize(2);
        pass(10_000);
        assertThat(client.store(now()).problem()).isNull();
    }

    @Test
    void aClientThatIsSetUpOtherwiseIsNoticedOnceItIsSeenToBeAlive() {
        client = client(false, false);
        nanos = 1_000 * MILLI;
        acquire(WaitMode.WAIT);
        value(stamp("b", 1, Stamp.State.RELEASED, true));
        assertThat(all(Effect.Notice.class)).as("it may be gone").isEmpty();
        done(true);
        pass(245);
        value(stamp("b", 2, Stamp.State.HELD, true));
        assertThat(all(Effect.Denied.class).get(0).reason()).isEqualTo(Denial.INCOMPATIBLE);
        assertThat(client.store(now()).problem()).contains("Client 'b' is alive, and is set up otherwise");
        acquire(WaitMode.WAIT);
        assertThat(all(Effect.Denied.class)).hasSize(2);
        pass(10_000);
        assertThat(client.store(now()).problem()).isNull();
    }

    @Test
    void whoAsksOnceDoesNotWaitBehindWhoWaitsHere() {
        acquire(WaitMode.WAIT);
        acquire(WaitMode.TRY_ONCE);
        assertThat(all(Effect.Denied.class)).containsExactly(new Effect.Denied(ids, "r", Denial.HELD, SELF));
    }

    @Test
    void afterItsEndAClientDoesNothing() {
        acquire(WaitMode.WAIT);
        step(new Event.Shutdown());
        effects.clear();
        acquire(WaitMode.WAIT);
        pass(1_000);
        assertThat(effects).isEmpty();
        assertThat(client.nextDeadline()).isNull();
    }

    @Test
    void whatLastsLongerThanOthersMayWaitForIsRefused() {
        long longest = timing.maxLeaseNanos();
        step(new Event.Acquire(new AcquireRequest(++ids, "r", longest + 1, true, WaitMode.WAIT, null)));
        assertThat(all(Effect.Denied.class).get(0).reason()).isEqualTo(Denial.REFUSED);
        hold();
        long token = all(Effect.Granted.class).get(0).token();
        step(new Event.Renew("r", token, longest + 1, 77));
        assertThat(all(Effect.Renewed.class)).containsExactly(new Effect.Renewed(77, false));
    }
}
