package io.paxoslease.spring.actuate;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import io.paxoslease.LossReason;
import io.paxoslease.RevocationReason;
import io.paxoslease.election.LeaderElection;
import io.paxoslease.election.Leadership;
import io.paxoslease.monitor.NodeObserver;
import io.paxoslease.spring.leader.GuardedCallCounts;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** Counts and times the leases and roles of one node, in one registry. */
final class MetricsObserver implements NodeObserver {

    private static final String ROLE = "role";

    private final MeterRegistry registry;
    private final Tags tags;
    private final Supplier<List<LeaderElection>> elections;
    private final Function<String, GuardedCallCounts> callCounts;
    private final MeterProvider<Timer> acquired;
    private final MeterProvider<Counter> lost;
    private final MeterProvider<Counter> granted;
    private final MeterProvider<Counter> revoked;
    private final Timer acquireRounds;
    private final Timer renewRounds;
    private final FewNames roleNames = new FewNames(ROLE, "meters");
    private final Set<String> measured = ConcurrentHashMap.newKeySet();
    /** Of roles without other meters, as long as this node leads them: other nodes may measure such a role, and say that they do not lead it. */
    private final Map<String, Gauge> led = new ConcurrentHashMap<>();

    MetricsObserver(
            MeterRegistry registry,
            Tags tags,
            Supplier<List<LeaderElection>> elections,
            Function<String, GuardedCallCounts> callCounts) {
        this.registry = registry;
        this.tags = tags;
        this.elections = elections;
        this.callCounts = callCounts;
        this.acquired = Timer.builder("paxoslease.acquire")
                .description("From the request for a lease to the answer, including the time that others held it")
                .tags(tags)
                .withRegistry(registry);
        this.lost = Counter.builder("paxoslease.lost.leases")
                .description("Leases of this node that ended without a release")
                .baseUnit("leases")
                .tags(tags)
                .withRegistry(registry);
        this.granted = Counter.builder("paxoslease.leadership.granted")
                .description("How often this node became the leader of the role")
                .tags(tags)
                .withRegistry(registry);
        this.revoked = Counter.builder("paxoslease.leadership.revoked")
                .description("How often this node's leadership of the role ended")
                .tags(tags)
                .withRegistry(registry);
        this.acquireRounds = rounds("acquire");
        this.renewRounds = rounds("renew");
        for (LeaseDescriptor.Kind kind : LeaseDescriptor.Kind.values()) { // from the start, with zero
            acquired(kind, true);
            acquired(kind, false);
            for (LossReason reason : LossReason.values()) {
                lost(kind, reason);
            }
        }
    }

    private Timer rounds(String purpose) {
        return Timer.builder("paxoslease.round")
                .description("From the first message of a round to the majority's answer")
                .tags(tags.and("purpose", purpose))
                .register(registry);
    }

    private Timer acquired(LeaseDescriptor.Kind kind, boolean isGranted) {
        return acquired.withTags("kind", lowerCase(kind), "outcome", isGranted ? "granted" : "not_granted");
    }

    private Counter lost(LeaseDescriptor.Kind kind, LossReason reason) {
        return lost.withTags("kind", lowerCase(kind), "reason", lowerCase(reason));
    }

    @Override
    public void acquired(String resource, Duration waited) {
        acquired(LeaseDescriptor.Kind.of(resource), true).record(waited);
    }

    @Override
    public void notAcquired(String resource, Duration waited) {
        acquired(LeaseDescriptor.Kind.of(resource), false).record(waited);
    }

    @Override
    public void agreed(String resource, boolean renewal, Duration took) {
        (renewal ? renewRounds : acquireRounds).record(took);
    }

    @Override
    public void agreedTogether(List<String> resources, Duration took) {
        renewRounds.record(took);
    }

    @Override
    public void lost(String resource, LossReason reason) {
        lost(LeaseDescriptor.Kind.of(resource), reason).increment();
    }

    @Override
    public void candidateAdded(String role) {
        measures(role);
    }

    @Override
    public void granted(String role) {
        if (measures(role)) {
            granted.withTag(ROLE, role).increment();
        } else if (led.size() < FewNames.MOST) {
            led.computeIfAbsent(role, this::leaderGauge);
        }
    }

    @Override
    public void revoked(String role, RevocationReason reason) {
        if (measures(role)) {
            revoked(role, lowerCase(reason)).increment();
        }
        Gauge gauge = led.remove(role);
        if (gauge != null) {
            registry.remove(gauge);
        }
    }

    private Counter revoked(String role, String reason) {
        return revoked.withTags(ROLE, role, "reason", reason);
    }

    private Gauge leaderGauge(String role) {
        return Gauge.builder("paxoslease.leader", () -> leadership(role).isPresent() ? 1 : 0)
                .description("Whether this node leads the role: 1 or 0")
                .tags(tags.and(ROLE, role))
                .register(registry);
    }

    /** A node may have several elections of one role; at most one of them leads. */
    private Optional<Leadership> leadership(String role) {
        return elections.get().stream()
                .filter(election -> election.role().equals(role))
                .flatMap(election -> election.leadership().stream())
                .findFirst();
    }

    /** False if there are too many roles to measure this one. */
    private boolean measures(String role) {
        boolean admitted = roleNames.admits(role);
        if (admitted && measured.add(role)) {
            bind(role);
        }
        return admitted;
    }

    private void bind(String role) {
        granted.withTag(ROLE, role);
        for (RevocationReason reason : RevocationReason.values()) {
            revoked(role, lowerCase(reason));
        }
        leaderGauge(role);
        TimeGauge.builder("paxoslease.lease.remaining", () -> remaining(role), TimeUnit.NANOSECONDS)
                .description("How long this node leads the role without a further renewal; 0 if it does not lead")
                .tags(tags.and(ROLE, role))
                .register(registry);
        calls("skipped", "Calls that were skipped, because this node did not lead", role, GuardedCallCounts::skipped);
        calls(
                "interrupted",
                "Calls that were interrupted, because leadership ended",
                role,
                GuardedCallCounts::interrupted);
        calls("overrun", "Calls that finished after their leadership had ended", role, GuardedCallCounts::overrun);
    }

    private void calls(String what, String description, String role, ToDoubleFunction<GuardedCallCounts> count) {
        FunctionCounter.builder(
                        "paxoslease." + what + ".calls", callCounts, counts -> count.applyAsDouble(counts.apply(role)))
                .description(description)
                .baseUnit("calls")
                .tags(tags.and(ROLE, role))
                .register(registry);
    }

    private long remaining(String role) {
        return leadership(role).map(Leadership::remaining).orElse(Duration.ZERO).toNanos();
    }

    private static String lowerCase(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
