package io.paxoslease.rivals.contenders;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.integration.support.locks.LockRegistry;

/** Spring Integration's leader initiator over a lock registry. */
final class SpringElection {

    /** How often it renews when nothing else is said. */
    static final Duration HEARTBEAT = Duration.ofMillis(LockRegistryLeaderInitiator.DEFAULT_HEART_BEAT_TIME);

    private final LockRegistry<?> registry;
    private @Nullable LockRegistryLeaderInitiator initiator;

    SpringElection(LockRegistry<?> registry) {
        this.registry = registry;
    }

    void stand(String role, Runnable granted) {
        LockRegistryLeaderInitiator started =
                new LockRegistryLeaderInitiator(registry, new DefaultCandidate("candidate", role) {
                    @Override
                    public void onGranted(Context context) {
                        granted.run();
                    }
                });
        initiator = started;
        started.start();
    }

    void resign() {
        if (initiator != null) {
            initiator.stop();
        }
    }
}
