package io.paxoslease.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.paxoslease.LeaseLostException;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.monitor.LeaseStatus;
import io.paxoslease.spring.lock.PaxosLeaseLock;
import io.paxoslease.spring.lock.PaxosLeaseLockRegistry;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** The effect of {@code paxoslease.locks.*} on the locks of the registry. */
@SuppressWarnings("LockNotBeforeTry") // what happens between lock and unlock is what is tested
class LockPropertiesTest {

    private final ApplicationContextRunner runner =
            PaxosLeaseTestSupport.runner().withPropertyValues("paxoslease.lease-time=1s");

    @Test
    void byDefaultLocksAreRenewedAndNoThreadIsInterrupted() {
        runner.run(context -> {
            PaxosLeaseLock lock = lock(context);
            lock.lock();
            await().until(() -> status(context).renewals() >= 3);
            lock.unlock();
            lock.lock();
            context.getBean(PaxosLease.class).stop();
            assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::unlock);
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        });
    }

    @Test
    void withATimeToLiveLocksEndWhenItIsOver() {
        runner.withPropertyValues("paxoslease.locks.ttl=500ms").run(context -> {
            PaxosLeaseLock lock = lock(context);
            lock.lock();
            assertThat(lock.remaining()).isLessThanOrEqualTo(Duration.ofMillis(500));
            await().until(() -> !lock.isHeldByCurrentThread());
            assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::unlock);
        });
    }

    @Test
    void withATimeToLiveANestedLockExtendsTheHold() {
        runner.withPropertyValues("paxoslease.locks.ttl=4s").run(context -> {
            PaxosLeaseLock lock = lock(context);
            lock.lock(Duration.ofSeconds(2));
            lock.lock();
            assertThat(lock.remaining()).isGreaterThan(Duration.ofSeconds(2));
            lock.unlock();
            lock.unlock();
        });
    }

    @Test
    void aLossInterruptsIfAskedFor() {
        runner.withPropertyValues("paxoslease.locks.interrupt-on-loss=true").run(context -> {
            PaxosLeaseLock lock = lock(context);
            lock.lock(Duration.ofMillis(500));
            await().until(Thread.currentThread()::isInterrupted);
            assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::unlock);
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        });
    }

    @Test
    void aLeaseIsRetainedAfterTheUnlockUnlessRetentionIsOff() {
        runner.run(context -> {
            long token = tokenOfAHold(lock(context));
            assertThat(context.getBean(PaxosLease.class).monitor().heldLeases()).isEqualTo(1);
            assertThat(tokenOfAHold(lock(context))).isEqualTo(token);
            await().until(() -> context.getBean(PaxosLease.class).monitor().heldLeases() == 0);
        });
        runner.withPropertyValues("paxoslease.locks.idle-retention=0").run(context -> {
            tokenOfAHold(lock(context));
            assertThat(context.getBean(PaxosLease.class).monitor().heldLeases()).isZero();
        });
    }

    private static long tokenOfAHold(PaxosLeaseLock lock) {
        lock.lock();
        long token = lock.fencingToken();
        lock.unlock();
        return token;
    }

    @ParameterizedTest
    @CsvSource({
        "paxoslease.locks.idle-retention, -1ms, 'Must not be negative; use 0 to release the lease at each unlock.'",
        "paxoslease.locks.max-local-handoffs, 0, 'Must be at least 1: the unlock of the thread that holds the lock counts.'",
    })
    void aRetentionOrHandoffsOutOfBoundsStopTheStart(String name, String value, String reason) {
        runner.withPropertyValues(name + "=" + value).run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, failure -> {
                    assertThat(failure.getName()).isEqualTo(name);
                    assertThat(failure.getReason()).isEqualTo(reason);
                }));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0s", "-1s", "5001ms"})
    void aTimeToLiveOutOfBoundsStopsTheStart(String ttl) {
        runner.withPropertyValues("paxoslease.locks.ttl=" + ttl).run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, failure -> {
                    assertThat(failure.getName()).isEqualTo("paxoslease.locks.ttl");
                    assertThat(failure.getReason())
                            .startsWith("Must be positive and at most 'paxoslease.max-lease-time', PT5S;");
                }));
    }

    @Test
    void theLongestTimeToLiveIsTheLongestLeaseOfTheCell() {
        runner.withPropertyValues("paxoslease.locks.ttl=7s", "paxoslease.max-lease-time=7s")
                .run(context -> assertThat(context).hasSingleBean(PaxosLeaseLockRegistry.class));
    }

    @Test
    void aNodeOfTheApplicationsOwnSetsTheBounds() {
        PaxosLease own = PaxosLease.create(PaxosLeaseOptions.builder("own")
                .maxLeaseTime(Duration.ofSeconds(9))
                .build());
        runner.withBean(PaxosLease.class, () -> own)
                .withPropertyValues("paxoslease.locks.ttl=9s")
                .run(context -> assertThat(context).hasSingleBean(PaxosLeaseLockRegistry.class));
        runner.withBean(PaxosLease.class, () -> own)
                .withPropertyValues("paxoslease.enabled=false", "paxoslease.locks.ttl=10s")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(InvalidConfigurationPropertyValueException.class));
    }

    private static PaxosLeaseLock lock(ApplicationContext context) {
        return context.getBean(PaxosLeaseLockRegistry.class).obtain("stock");
    }

    private static LeaseStatus status(ApplicationContext context) {
        return context.getBean(PaxosLease.class).monitor().status("lock:stock").orElseThrow();
    }

    /** Polls in the thread of the test, which holds the lock; the interrupt flag of that thread may be set. */
    private static ConditionFactory await() {
        return Awaitility.await().pollInSameThread().pollDelay(Duration.ZERO);
    }
}
