package io.paxoslease.spring.actuate;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
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
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** Counts and times the leases and roles of one node, in one registry. */
final class MetricsObserver implements NodeObserver {

    private final MeterRegistry registry;
    private final Tags tags;
    private final Supplier<List<LeaderElection>> elections;
    private final Function<String, GuardedCallCounts> callCounts;
    private final Map<LeaseDescriptor.Kind, LeaseMeters> leases = new EnumMap<>(LeaseDescriptor.Kind.class);
    private final FewNames roleNames = new FewNames("role", "meters");
    private final Map<String, RoleMeters> roles = new ConcurrentHashMap<>();
    /** Of roles without other meters, as long as this node leads them: other nodes may measure such a role, and say that they do not lead it. */
    private final Map<String, Gauge> led = new ConcurrentHashMap<>();

    private final Timer acquireRounds;
    private final Timer renewRounds;

    MetricsObserver(
            MeterRegistry registry,
            Tags tags,
            Supplier<List<LeaderElection>> elections,
            Function<String, GuardedCallCounts> callCounts) {
        this.registry = registry;
        this.tags = tags;
        this.elections = elections;
        this.callCounts = callCounts;
        for (LeaseDescriptor.Kind kind : LeaseDescriptor.Kind.values()) {
            leases.put(kind, new LeaseMeters(kind));
        }
        this.acquireRounds = rounds("acquire");
        this.renewRounds = rounds("renew");
    }

    private Timer rounds(String purpose) {
        return Timer.builder("paxoslease.round")
                .description("From the first message of a round to the majority's answer")
                .tags(tags.and("purpose", purpose))
                .register(registry);
    }

    @Override
    public void acquired(String resource, Duration waited) {
        metersOf(resource).granted.record(waited);
    }

    @Override
    public void notAcquired(String resource, Duration waited) {
        metersOf(resource).notGranted.record(waited);
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
        Objects.requireNonNull(metersOf(resource).lost.get(reason)).increment();
    }

    private LeaseMeters metersOf(String resource) {
        return Objects.requireNonNull(leases.get(LeaseDescriptor.Kind.of(resource)));
    }

    @Override
    public void candidateAdded(String role) {
        metersOfRole(role);
    }

    @Override
    public void granted(String role) {
        metersOfRole(role).ifPresentOrElse(meters -> meters.granted.increment(), () -> {
            if (led.size() < FewNames.MOST) {
                led.computeIfAbsent(role, this::leaderGauge);
            }
        });
    }

    @Override
    public void revoked(String role, RevocationReason reason) {
        metersOfRole(role).ifPresent(meters -> Objects.requireNonNull(meters.revoked.get(reason))
                .increment());
        Gauge gauge = led.remove(role);
        if (gauge != null) {
            registry.remove(gauge);
        }
    }

    private Gauge leaderGauge(String role) {
        return Gauge.builder("paxoslease.leader", () -> leadership(role).isPresent() ? 1 : 0)
                .description("Whether this node leads the role: 1 or 0")
                .tags(tags.and("role", role))
                .register(registry);
    }

    /** A node may have several elections of one role; at most one of them leads. */
    private Optional<Leadership> leadership(String role) {
        return elections.get().stream()
                .filter(election -> election.role().equals(role))
                .flatMap(election -> election.leadership().stream())
                .findFirst();
    }

    /** Empty if there are too many roles to measure this one. */
    private Optional<RoleMeters> metersOfRole(String role) {
        return roleNames.admits(role) ? Optional.of(roles.computeIfAbsent(role, RoleMeters::new)) : Optional.empty();
    }

    private static String lowerCase(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    /** The meters of leases of one kind. */
    private final class LeaseMeters {

        private final Timer granted;
        private final Timer notGranted;
        private final Map<LossReason, Counter> lost = new EnumMap<>(LossReason.class);

        LeaseMeters(LeaseDescriptor.Kind kind) {
            Tags kinds = tags.and("kind", lowerCase(kind));
            this.granted = acquire(kinds, "granted");
            this.notGranted = acquire(kinds, "not_granted");
            for (LossReason reason : LossReason.values()) {
                lost.put(
                        reason,
                        Counter.builder("paxoslease.lost.leases")
                                .description("Leases of this node that ended without a release")
                                .baseUnit("leases")
                                .tags(kinds.and("reason", lowerCase(reason)))
                                .register(registry));
            }
        }

        private Timer acquire(Tags kinds, String outcome) {
            return Timer.builder("paxoslease.acquire")
                    .description("From the request for a lease to the answer, including the time that others held it")
                    .tags(kinds.and("outcome", outcome))
                    .register(registry);
        }
    }

    /** The meters of one role. */
    private final class RoleMeters {

        private final String role;
        private final Counter granted;
        private final Map<RevocationReason, Counter> revoked = new EnumMap<>(RevocationReason.class);

        RoleMeters(String role) {
            this.role = role;
            Tags mine = tags.and("role", role);
            this.granted = Counter.builder("paxoslease.leadership.granted")
                    .description("How often this node became the leader of the role")
                    .tags(mine)
                    .register(registry);
            for (RevocationReason reason : RevocationReason.values()) {
                revoked.put(
                        reason,
                        Counter.builder("paxoslease.leadership.revoked")
                                .description("How often this node's leadership of the role ended")
                                .tags(mine.and("reason", lowerCase(reason)))
                                .register(registry));
            }
            leaderGauge(role);
            TimeGauge.builder("paxoslease.lease.remaining", this, TimeUnit.NANOSECONDS, RoleMeters::remaining)
                    .description("How long this node leads the role without a further renewal; 0 if it does not lead")
                    .tags(mine)
                    .strongReference(true)
                    .register(registry);
            calls(
                    "skipped",
                    "Calls that were skipped, because this node did not lead",
                    role,
                    GuardedCallCounts::skipped);
            calls(
                    "interrupted",
                    "Calls that were interrupted, because leadership ended",
                    role,
                    GuardedCallCounts::interrupted);
            calls("overrun", "Calls that finished after their leadership had ended", role, GuardedCallCounts::overrun);
        }

        private void calls(String what, String description, String role, ToDoubleFunction<GuardedCallCounts> count) {
            FunctionCounter.builder(
                            "paxoslease." + what + ".calls",
                            this,
                            meters -> count.applyAsDouble(callCounts.apply(role)))
                    .description(description)
                    .baseUnit("calls")
                    .tags(tags.and("role", role))
                    .register(registry);
        }

        private double remaining() {
            return leadership(role)
                    .map(Leadership::remaining)
                    .orElse(Duration.ZERO)
                    .toNanos();
        }
    }
}
