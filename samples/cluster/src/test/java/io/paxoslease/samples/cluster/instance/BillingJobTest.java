package io.paxoslease.samples.cluster.instance;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.spring.test.AutoConfigureTestLeadership;
import io.paxoslease.spring.test.TestLeadership;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The whole application, as its developer would test it: one instance, which leads when the test says so. */
@SpringBootTest(
        classes = InstanceApplication.class,
        webEnvironment = SpringBootTest.WebEnvironment.NONE,
        properties = {"instance=n1", "sample.counter-file=target/counter-${random.uuid}"})
@AutoConfigureTestLeadership
@ExtendWith(OutputCaptureExtension.class)
class BillingJobTest {

    @Autowired
    private TestLeadership leadership;

    @Autowired
    private BillingJob job;

    @Test
    void onlyTheLeaderBills(CapturedOutput output) {
        job.tick();
        assertThat(ticks(output)).isZero();

        leadership.grant("billing");
        job.tick();
        assertThat(ticks(output)).isPositive();

        leadership.expire("billing");
        long before = ticks(output);
        job.tick();
        assertThat(ticks(output)).isEqualTo(before);
    }

    private static long ticks(CapturedOutput output) {
        return output.getOut()
                .lines()
                .filter(line -> line.startsWith("@cluster tick"))
                .count();
    }
}
