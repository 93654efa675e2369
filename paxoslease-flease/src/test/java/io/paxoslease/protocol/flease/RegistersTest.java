package io.paxoslease.protocol.flease;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.flease.FleaseMessage.Interest;
import io.paxoslease.protocol.flease.FleaseMessage.Nack;
import io.paxoslease.protocol.flease.FleaseMessage.Read;
import io.paxoslease.protocol.flease.FleaseMessage.ReadAck;
import io.paxoslease.protocol.flease.FleaseMessage.Write;
import io.paxoslease.protocol.flease.FleaseMessage.WriteAck;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** One node's share of the registers. */
class RegistersTest {

    private static final Duration ONE_SLOT = FleaseCell.BOUND;
    private static final Value EMPTY = new Value(null, 0, 1);

    private final TimeRules bound =
            new TimeRules(new Timing(FleaseCell.MAX_LEASE, FleaseCell.DRIFT), FleaseCell.BOUND.toNanos());
    private final Registers registers = new Registers(bound, Long.MAX_VALUE);
    private final Reading start = new Reading(new Moment(0), FleaseCell.WALL);

    private static Round round(long slot) {
        return new Round(slot, 1, FleaseCell.id(0));
    }

    private Reading after(Duration time) {
        return start.plusNanos(time.toNanos());
    }

    private FleaseMessage.Reply read(String resource, Round round, Reading now) {
        return registers.read(new Read(resource, round, 1, Interest.NONE), now);
    }

    private FleaseMessage.Reply write(String resource, Round round, Value value, Reading now) {
        return registers.write(new Write(resource, round, 1, value), false, now);
    }

    @Test
    void registersCostABoundedAmountAndThoseThatAreKnownAreServed() {
        Registers small = new Registers(bound, 1 << 20);
        for (int i = 0; i < 10_000; i++) {
            small.read(new Read("r" + i, round(FleaseCell.SLOT), 1, Interest.NONE), start);
        }
        assertThat(small.size()).isBetween(900, 1_024);
        assertThat(small.read(new Read("more", round(FleaseCell.SLOT), 1, Interest.NONE), start))
                .isEqualTo(new Nack("more", round(FleaseCell.SLOT), 1, Round.NONE));
        assertThat(small.write(new Write("more", round(FleaseCell.SLOT), 1, EMPTY), true, start))
                .isInstanceOf(Nack.class);
        assertThat(small.write(new Write("r1", round(FleaseCell.SLOT), 1, EMPTY), false, start))
                .isInstanceOf(WriteAck.class);
    }

    @Test
    void neitherAReadNorAWriteOfTheFutureIsServed() {
        assertThat(write("r", round(FleaseCell.SLOT + 3), EMPTY, start)).isInstanceOf(Nack.class);
        assertThat(read("r", round(FleaseCell.SLOT + 3), start)).isInstanceOf(Nack.class);
        assertThat(registers.highest("r")).isEqualTo(Round.NONE);
        assertThat(write("r", round(FleaseCell.SLOT + 2), EMPTY, start)).isInstanceOf(WriteAck.class);
    }

    @Test
    void aRefusalNamesWhateverWasHigher() {
        read("promised", round(FleaseCell.SLOT + 2), start);
        write("written", round(FleaseCell.SLOT + 2), EMPTY, start);
        for (String resource : List.of("promised", "written")) {
            assertThat(read(resource, round(FleaseCell.SLOT), start))
                    .isEqualTo(new Nack(resource, round(FleaseCell.SLOT), 1, round(FleaseCell.SLOT + 2)));
        }
        read("written", new Round(FleaseCell.SLOT + 2, 2, FleaseCell.id(0)), start);
        assertThat(registers.highest("written").draw()).isEqualTo(2);
    }

    @Test
    void whatANodeItselfWritesIsNotMeasuredByItsClock() {
        Value far = new Value(null, 0, Long.MAX_VALUE);
        assertThat(registers.write(new Write("r", round(FleaseCell.SLOT), 1, far), true, start))
                .isInstanceOf(WriteAck.class);
    }

    /** A clock may lose a little, and go back by a slot. */
    @Test
    void roundsThatWereRefusedAreRefusedForGood() {
        registers.forget(start);
        Round oldest = round(bound.horizonSlot(start));
        assertThat(read("r", oldest, start)).isInstanceOf(ReadAck.class);
        assertThat(read("r", round(oldest.slot() - 1), start)).isInstanceOf(Nack.class);
        Reading earlier = new Reading(start.moment(), FleaseCell.WALL - 1);
        registers.forget(earlier);
        assertThat(read("other", round(oldest.slot() - 1), earlier)).isInstanceOf(Nack.class);
    }

    @Test
    void aPromiseIsForgottenWhenItsRoundIsRefused() {
        read("r", round(FleaseCell.SLOT + 2), start);
        Reading unused = after(Duration.ofNanos(bound.horizonNanos()));
        registers.forget(unused);
        assertThat(registers.highest("r")).isEqualTo(round(FleaseCell.SLOT + 2));
        Reading later = unused.plusNanos(bound.horizonNanos());
        registers.forget(later);
        assertThat(registers.size()).isZero();
        assertThat(write("r", round(FleaseCell.SLOT + 2), EMPTY, later)).isInstanceOf(Nack.class);
    }

    /** Else the next tenure's token could be lower. */
    @Test
    void whatMayNotBeForgottenYetStaysAndDoesNotKeepTheOthers() {
        long token = FleaseCell.WALL + FleaseCell.MAX_LEASE.plus(ONE_SLOT).toNanos() / 1_000;
        write("late", round(FleaseCell.SLOT - 5), new Value(null, 0, token), start);
        write("r", round(FleaseCell.SLOT - 5), EMPTY, start);
        Reading unused = after(Duration.ofNanos(bound.horizonNanos()));
        Reading behind = new Reading(unused.moment(), token);
        registers.forget(behind);
        assertThat(registers.size()).isEqualTo(1);
        assertThat(registers.stored("late").value().token()).isEqualTo(token);
    }

    /** As after a restart: the clock may have been set back. */
    @Test
    void whoStartsAnewRefusesNothingButWhatItMayHavePromised() {
        registers.forget(start);
        registers.clear();
        Reading back = new Reading(
                start.moment(), FleaseCell.WALL - Duration.ofHours(1).toNanos() / 1_000);
        registers.startAfterSilence(back);
        long lowest = bound.slotAfterSilence(back);
        assertThat(read("r", round(lowest), back)).isInstanceOf(ReadAck.class);
        assertThat(read("r", round(lowest - 1), back)).isInstanceOf(Nack.class);
    }

    @Test
    void onlyLeasesThatLastAreShown() {
        Value lease = new Value(new Value.Owner(FleaseCell.id(0), new Incarnation(1, 2)), FleaseCell.WALL + 1, 1);
        write("held", round(FleaseCell.SLOT), lease, start);
        write("free", round(FleaseCell.SLOT), EMPTY, start);
        List<String> live = new ArrayList<>();
        assertThat(registers.addLive(0, 10, start, live)).isNegative();
        assertThat(live).containsExactly("held");
        registers.addLive(0, 10, after(Duration.ofNanos(1_000)), live);
        assertThat(live).hasSize(1);
    }
}
