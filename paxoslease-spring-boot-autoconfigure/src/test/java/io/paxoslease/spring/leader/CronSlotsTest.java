package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.ZoneId;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.scheduling.support.CronExpression;

class CronSlotsTest {

    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

    private static CronSlots slots(String expression, ZoneId zone) {
        return new CronSlots(CronExpression.parse(expression), zone);
    }

    private static Instant next(CronExpression cron, Instant after) {
        return Objects.requireNonNull(cron.next(after.atZone(BERLIN))).toInstant();
    }

    @ParameterizedTest
    @CsvSource({
        "0 0 3 * * *,      2026-11-25T14:00:00Z, 2026-11-25T03:00:00Z",
        "0 0 3 * * *,      2026-11-25T03:00:00Z, 2026-11-25T03:00:00Z",
        "0 0 3 * * *,      2026-11-25T02:59:59.999Z, 2026-11-24T03:00:00Z",
        "* * * * * *,      2026-11-25T14:00:00.5Z, 2026-11-25T14:00:00Z",
        "0 */10 * * * *,   2026-11-25T14:19:59Z, 2026-11-25T14:10:00Z",
        "* * * 1 * *,      2026-11-25T14:00:00Z, 2026-11-01T23:59:59Z",
        "0 0 0 29 2 *,     2026-11-25T14:00:00Z, 2024-02-29T00:00:00Z",
        "0 0 0 29 2 *,     2103-01-01T00:00:00Z, 2096-02-29T00:00:00Z",
        "@monthly,         2026-11-25T14:00:00Z, 2026-11-01T00:00:00Z",
    })
    void theLatestSlotIsTheLastOneThatIsDue(String expression, Instant now, Instant slot) {
        assertThat(slots(expression, ZoneId.of("UTC")).latest(now)).contains(slot);
    }

    /** At 2 o'clock clocks are set to 3 in spring, and at 3 to 2 in autumn. */
    @ParameterizedTest
    @CsvSource({
        "0 0 3 * * *,      2026-03-29T12:00:00Z, 2026-03-29T01:00:00Z",
        "0 30 2 * * *,     2026-03-29T12:00:00Z, 2026-03-28T01:30:00Z",
        "0 0 3 * * *,      2026-10-25T12:00:00Z, 2026-10-25T02:00:00Z",
        "0 0 4 * * *,      2026-10-25T12:00:00Z, 2026-10-25T03:00:00Z",
    })
    void whenClocksAreSetTheSlotIsThatOfSpringsTrigger(String expression, Instant now, Instant slot) {
        CronSlots slots = slots(expression, BERLIN);
        assertThat(slots.latest(now)).contains(slot);
        assertThat(next(CronExpression.parse(expression), slot.minusSeconds(1))).isEqualTo(slot);
    }

    @Test
    void anExpressionThatIsNeverDueHasNoSlot() {
        assertThat(slots("0 0 0 31 2 *", BERLIN).latest(Instant.EPOCH)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"*/7 * * * * *", "0 0 3 * * *", "0 15 9-17 * * MON-FRI", "* 0 3 1 * *", "0 0 0 L * *"})
    void ofEverySlotAndTheNextNoneIsBetween(String expression) {
        CronSlots slots = slots(expression, BERLIN);
        CronExpression cron = CronExpression.parse(expression);
        SplittableRandom random = new SplittableRandom(7);
        for (int i = 0; i < 300; i++) {
            Instant now =
                    Instant.ofEpochSecond(1_700_000_000L + random.nextInt(200_000_000), random.nextInt(1_000_000_000));
            Instant slot = slots.latest(now).orElseThrow();
            assertThat(slot).isBeforeOrEqualTo(now);
            assertThat(next(cron, slot)).isAfter(now);
        }
    }

    /** Where clocks are set back by half an hour, Spring's expression answers with the instant that it is asked about. */
    @Test
    void theSearchEndsWhereClocksAreSetByHalfAnHour() {
        CronSlots hourly = slots("0 0 * * * *", ZoneId.of("Australia/Lord_Howe"));
        Instant begin = Instant.parse("2026-04-04T12:00:00Z");
        for (int minutes = 0; minutes < 600; minutes += 10) {
            Instant now = begin.plusSeconds(minutes * 60L);
            assertThat(hourly.latest(now)).isPresent().hasValueSatisfying(slot -> assertThat(slot)
                    .isBeforeOrEqualTo(now)
                    .isAfter(now.minusSeconds(2 * 3600)));
            assertThat(hourly.next(now)).isAfter(now);
        }
    }

    /** A timer may fire before the wall clock shows the slot, and Spring's trigger does not fire again for it. */
    @ParameterizedTest
    @CsvSource({
        "0 0 3 * * *, 2026-11-25T02:59:59Z,   2026-11-25T03:00:00Z",
        "0 0 3 * * *, 2026-11-25T02:59:58.999Z, 2026-11-24T03:00:00Z",
        "0 0 3 * * *, 2026-11-25T03:00:07Z,   2026-11-25T03:00:00Z",
        "* * * * * *, 2026-11-25T03:00:00.9Z, 2026-11-25T03:00:01Z",
        "* * * * * *, 2026-11-25T03:00:00.899Z, 2026-11-25T03:00:00Z",
    })
    void aTriggerMayFireALittleEarly(String expression, Instant now, Instant slot) {
        assertThat(slots(expression, ZoneId.of("UTC")).firedAt(now)).contains(slot);
    }
}
