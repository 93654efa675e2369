package io.paxoslease.spring.leader;

import java.time.Duration;
import java.util.Map;

/** Settings of elections that begin at once. */
final class TestElections {

    private TestElections() {}

    static ElectionSettings settings(Duration stopTimeout) {
        return new ElectionSettings(
                Map.of(), ElectionSettings.DEFAULT_PHASE, true, stopTimeout, ElectionSettings.Urls.NONE);
    }
}
