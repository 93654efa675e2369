package io.paxoslease.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.paxoslease.GenerationOptions;
import io.paxoslease.Membership;
import io.paxoslease.MembershipChange;
import io.paxoslease.MembershipChangeException;
import io.paxoslease.MembershipChangeException.Reason;
import io.paxoslease.NodeAdmin;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A store that hangs while the members are changed, as a file whose lock another process keeps. */
@Timeout(30)
class MemberChangerTest {

    private static final MembershipChange CHANGE = MembershipChange.to(Map.of("a", "a:1"));
    private static final Duration SHORT = Duration.ofMillis(50);
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Membership STORED = new Membership(
            GenerationOptions.first(),
            Map.of("a", InetSocketAddress.createUnresolved("a", 1)),
            Duration.ofSeconds(5),
            0.1,
            false);

    private final CountDownLatch answer = new CountDownLatch(1);
    private final AtomicInteger asked = new AtomicInteger();
    private final MemberChanger changer = new MemberChanger((NodeAdmin) Proxy.newProxyInstance(
            NodeAdmin.class.getClassLoader(), new Class<?>[] {NodeAdmin.class}, (proxy, method, args) -> {
                asked.incrementAndGet();
                answer.await();
                return STORED;
            }));

    /** Each request has a thread of the web server, and the actuator has few. */
    @Test
    void itDelaysNoRequestForLongAndTakesOneThreadOnly() {
        assertThat(refusal(SHORT).reason()).isEqualTo(Reason.STORE);
        for (int i = 0; i < 4; i++) {
            assertThat(refusal(LONG)).returns(Reason.UNDER_WAY, MembershipChangeException::reason);
        }
        assertThat(asked).hasValueLessThanOrEqualTo(1);
        answer.countDown();
    }

    @Test
    void onceTheStoreAnswersTheNextChangeIsTaken() {
        answer.countDown();
        assertThat(changer.change(CHANGE, LONG)).isEqualTo(STORED);
        assertThat(changer.change(CHANGE, LONG)).isEqualTo(STORED);
        assertThat(asked).hasValue(2);
    }

    private MembershipChangeException refusal(Duration patience) {
        return assertThatExceptionOfType(MembershipChangeException.class)
                .isThrownBy(() -> changer.change(CHANGE, patience))
                .actual();
    }
}
