package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BackgroundStopTest {

    /** Else the container would wait for the stop in vain, and the leases would go on being renewed meanwhile. */
    @Test
    void aStopThatGetsNoThreadRunsOnTheCallers() {
        List<Thread> stopped = new ArrayList<>();
        BackgroundStop.start(new Thread(() -> stopped.add(Thread.currentThread())) {
            @Override
            public synchronized void start() {
                throw new OutOfMemoryError("unable to create native thread");
            }
        });

        assertThat(stopped).containsExactly(Thread.currentThread());
    }
}
