package io.paxoslease.clusters;

import io.paxoslease.clusters.Cell.Leader;
import java.time.Duration;

/**
 * How long it took until the next one led, by the clock that all containers share.
 *
 * @param withoutLeader from the old leader's last yes to the next leader's first, with a sample each millisecond
 * @param sinceSignal from when the old leader was told to stop; after a kill the same as {@code withoutLeader}, because its
 *     last yes is its last sign of life
 */
record FailOver(Duration withoutLeader, Duration sinceSignal) {

    static FailOver afterKill(History history, Leader old) {
        Duration gap = Duration.ofNanos(next(history, old).from() - history.end(old.token()));
        return new FailOver(gap, gap);
    }

    static FailOver afterStop(History history, Leader old) {
        long next = next(history, old).from();
        long told = history.lastEvent(old.member().name(), "told-to-stop", next)
                .orElseThrow(() -> new AssertionError(old + " was not told to stop"))
                .at();
        return new FailOver(Duration.ofNanos(next - history.end(old.token())), Duration.ofNanos(next - told));
    }

    private static Tenure next(History history, Leader old) {
        return history.after(old.token()).orElseThrow(() -> new AssertionError("nobody led after " + old));
    }
}
