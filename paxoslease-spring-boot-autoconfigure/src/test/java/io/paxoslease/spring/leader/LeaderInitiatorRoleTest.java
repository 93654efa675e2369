package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.testing.InMemoryCell;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;

/** A role is the application's text, which may have come from a tenant: it starts no line of the log. */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class LeaderInitiatorRoleTest {

    private static final String ROLE = "billing\nWARN all is lost";

    @Test
    void aRoleIsLoggedOnOneLine(CapturedOutput output) throws InterruptedException {
        CountDownLatch revoked = new CountDownLatch(1);
        CountDownLatch granted = new CountDownLatch(1);
        DefaultCandidate candidate = new DefaultCandidate("a", ROLE) {
            @Override
            public void onGranted(Context context) {
                granted.countDown();
            }

            @Override
            public void onRevoked(Context context) {
                revoked.countDown();
                throw new IllegalStateException("the candidate failed");
            }
        };
        try (InMemoryCell cell = InMemoryCell.of("a")) {
            PaxosLeaseLeaderInitiator initiator = new PaxosLeaseLeaderInitiator(cell.node("a"), candidate);
            initiator.start();
            granted.await();
            initiator.stop();
            revoked.await();
        }
        assertThat(output).contains("failed for the role 'billing\\u000aWARN all is lost'");
        assertThat(output.toString().lines()).noneMatch(line -> line.startsWith("WARN all is lost"));
    }
}
