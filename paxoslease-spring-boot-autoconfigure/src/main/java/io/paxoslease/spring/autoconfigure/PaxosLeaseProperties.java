package io.paxoslease.spring.autoconfigure;

import io.paxoslease.Algorithm;
import io.paxoslease.FleaseOptions;
import io.paxoslease.InvalidOptionException;
import io.paxoslease.locks.LockOptions;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.StorageOptions;
import io.paxoslease.TlsOptions;
import io.paxoslease.spring.leader.RoleSettings;
import io.paxoslease.store.Register;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.StringUtils;

/**
 * This application's node.
 *
 * @param enabled Whether to take part in leader election and locking. When it is off, a bean with @OnLeader stops the
 *     application from starting.
 * @param algorithm How the instances agree, the same on every one of them: among themselves, trusting the rate of clocks only;
 *     among themselves, with wall clocks that agree within 'paxoslease.flease.clock-bound'; or by way of a store that all of
 *     them reach.
 * @param nodeId Unique name of this node in the cell, one of those in 'paxoslease.peers'. It stays the same over
 *     restarts. Required when there are peers. With shared storage, by default a random name at each start.
 * @param peers Members of the cell, this node included: node id to 'host:port', the same on every node. An id that is not
 *     made of lower-case letters, digits and dashes goes in brackets. Required, unless 'paxoslease.standalone' is set.
 * @param standalone Whether this node is a cell of its own, for development and tests: it leads every role and shares its
 *     locks with nobody. The peers are ignored then.
 * @param cell Name of the cell, the same on every node. Nodes of another cell are refused.
 * @param leaseTime How long a holder that has died keeps the others out at most. By default 10s in a store that only
 *     reads and writes.
 * @param maxLeaseTime Longest lease of the cell, the same on every node. A node that starts is silent for somewhat longer.
 *     By default 5s, or the lease time where that is longer.
 * @param clockDrift Bound on the rate error of any node's monotonic clock, the same on every node.
 * @param bindHost Address to listen on. By default this node's host in 'paxoslease.peers'.
 * @param roles How to stand for roles, by name. A role that is named here is stood for, whether a bean names it or not.
 * @param locks Locks of the lock registry.
 * @param ssl TLS between the nodes.
 * @param flease Flease.
 * @param storage Leases in shared storage.
 */
@ConfigurationProperties(prefix = "paxoslease", ignoreUnknownFields = false)
record PaxosLeaseProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("paxoslease") Algorithm algorithm,
        @Nullable String nodeId,
        @DefaultValue Map<String, String> peers,
        @DefaultValue("false") boolean standalone,
        @DefaultValue("paxoslease") String cell,
        @Nullable Duration leaseTime,
        @Nullable Duration maxLeaseTime,
        @DefaultValue("0.1") double clockDrift,
        @Nullable String bindHost,
        @DefaultValue Map<String, RoleProperties> roles,
        @DefaultValue Locks locks,
        @DefaultValue Ssl ssl,
        @DefaultValue Flease flease,
        @DefaultValue Storage storage) {

    /** The node's id in a cell of one, when it has none. */
    static final String LOCAL_NODE_ID = "local";

    private static final String PREFIX = "paxoslease.";
    private static final Logger log = LoggerFactory.getLogger(PaxosLease.class);

    /**
     * @param tls null for none
     * @param store the store where clients meet, asked for when they do
     * @throws InvalidConfigurationPropertyValueException naming the property, its value, and what to change
     */
    PaxosLeaseOptions toOptions(@Nullable TlsOptions tls, Supplier<Register> store) {
        try {
            PaxosLeaseOptions.Builder builder = PaxosLeaseOptions.builder(requiredNodeId())
                    .peers(requiredPeers())
                    .cell(cell)
                    .clockDrift(clockDrift)
                    .bindHost(StringUtils.hasText(bindHost) ? bindHost : null)
                    .tls(tls);
            if (leaseTime != null) {
                builder.leaseTime(leaseTime);
            }
            if (maxLeaseTime != null) {
                builder.maxLeaseTime(maxLeaseTime);
            }
            if (algorithm == Algorithm.FLEASE) {
                builder.flease(new FleaseOptions(flease.clockBound()));
            } else if (meetsInStore()) {
                builder.storage(storage.toOptions(store.get()));
            }
            return builder.build();
        } catch (InvalidOptionException invalid) {
            if (invalid.option().equals("tls")) {
                throw ssl.invalid(invalid);
            }
            throw new InvalidConfigurationPropertyValueException(
                    nameOf(invalid.option()), invalid.value(), sentence(invalid.reason()), invalid);
        }
    }

    private static String nameOf(String option) {
        return switch (option) {
            case "clockBound" -> PREFIX + "flease.clock-bound";
            case "accessBound", "form" -> PREFIX + "storage." + kebabCase(option);
            default -> PREFIX + kebabCase(option);
        };
    }

    /** Whether this application is a client of a store. One that stands alone needs none. */
    private boolean meetsInStore() {
        return algorithm == Algorithm.STORAGE && !standalone;
    }

    private Map<String, String> requiredPeers() {
        if (standalone) {
            if (!peers.isEmpty()) {
                log.warn(
                        "paxoslease.peers is ignored, because paxoslease.standalone is true: this instance leads every role, and so"
                                + " does every other one with that setting");
            }
            return Map.of();
        }
        if (meetsInStore()) {
            if (!peers.isEmpty()) {
                log.info(
                        "paxoslease.peers is not used: with paxoslease.algorithm=storage the instances meet in the store");
            }
            return Map.of();
        }
        if (peers.isEmpty()) {
            throw new InvalidConfigurationPropertyValueException(
                    PREFIX + "peers",
                    null,
                    "Is required: list every instance of this application, this one included, for instance"
                            + " 'paxoslease.peers.a=10.0.0.1:7400'. For development and tests, 'paxoslease.standalone=true'"
                            + " makes this instance a cell of its own, which leads every role.");
        }
        return peers;
    }

    private String requiredNodeId() {
        if (nodeId != null && StringUtils.hasText(nodeId)) {
            return nodeId;
        }
        if (meetsInStore()) {
            return "client-" + UUID.randomUUID().toString().substring(0, 8);
        }
        if (standalone || peers.isEmpty()) {
            return LOCAL_NODE_ID;
        }
        throw new InvalidConfigurationPropertyValueException(
                PREFIX + "node-id",
                nodeId,
                "Is required with 'paxoslease.peers': set it to this node's id, which is one of %s and another on every node."
                        .formatted(peers.keySet()));
    }

    /**
     * How to stand for each role that is named here.
     *
     * @throws InvalidConfigurationPropertyValueException naming the property, its value, and what to change
     */
    Map<String, RoleSettings> toRoleSettings() {
        Duration longest = maxLeaseTime == null ? PaxosLeaseOptions.DEFAULT_MAX_LEASE_TIME : maxLeaseTime;
        Duration usual =
                meetsInStore() ? PaxosLeaseOptions.DEFAULT_READ_WRITE_LEASE_TIME : PaxosLeaseOptions.DEFAULT_LEASE_TIME;
        Duration time = leaseTime == null ? usual : leaseTime;
        Map<String, RoleSettings> settings = new TreeMap<>();
        roles.forEach((name, role) -> settings.put(
                name, role.toSettings(PREFIX + "roles." + name + ".", longest.compareTo(time) < 0 ? time : longest)));
        return settings;
    }

    /**
     * Locks of the lock registry.
     *
     * @param ttl Time to live of locks that are taken without one: they end when it is over, unless the thread locks again
     *     inside, which asks for it afresh. By default such locks are renewed automatically while they are held.
     * @param interruptOnLoss Whether the thread that holds a lock is interrupted when its lease is lost.
     * @param keep How long this node keeps the lease of a lock that no thread holds any more, so that its next thread has it
     *     at once; given up earlier when another node asks. Zero gives it up at each unlock.
     * @param localTurns How many threads of this node may end a hold, one after the other, once another node has asked for the
     *     lock. With 1, whoever holds it then is the last.
     */
    record Locks(
            @Nullable Duration ttl,
            @DefaultValue("false") boolean interruptOnLoss,
            @DefaultValue("1s") Duration keep,
            @DefaultValue("1") int localTurns) {

        /** @throws InvalidConfigurationPropertyValueException naming the property, its value, and what to change */
        LockOptions toOptions(Duration maxTtl) {
            if (keep.isNegative()) {
                throw new InvalidConfigurationPropertyValueException(
                        PREFIX + "locks.keep", keep, "Must not be negative; use 0 to give a lock up at each unlock.");
            }
            if (localTurns < 1) {
                throw new InvalidConfigurationPropertyValueException(
                        PREFIX + "locks.local-turns",
                        localTurns,
                        "Must be at least 1: whoever holds the lock has one.");
            }
            LockOptions options = LockOptions.renewing()
                    .withInterruptOnLoss(interruptOnLoss)
                    .withKeep(keep)
                    .withLocalTurns(localTurns);
            if (ttl == null) {
                return options;
            }
            if (ttl.isNegative() || ttl.isZero() || ttl.compareTo(maxTtl) > 0) {
                throw new InvalidConfigurationPropertyValueException(
                        PREFIX + "locks.ttl",
                        ttl,
                        "Must be positive and at most 'paxoslease.max-lease-time', %s; leave it out for locks that are renewed while they are held."
                                .formatted(maxTtl));
            }
            return options.withTtl(ttl);
        }
    }

    /**
     * TLS between the nodes.
     *
     * @param bundle Name of the SSL bundle with this node's key and certificate, and with the private CA that signs every
     *     node's. Connections between the nodes use mutual TLS then. On every node of the cell or on none.
     * @param enabled Whether the nodes talk TLS. By default on when there is a bundle.
     * @param verifyNodeId Whether a certificate must name the node that shows it, by a DNS entry that is the node id or
     *     begins with it and a dot, or by the URI entry 'paxoslease://cell/node-id'.
     */
    record Ssl(
            @Nullable String bundle,
            @Nullable Boolean enabled,
            @DefaultValue("false") boolean verifyNodeId) {

        static final String BUNDLE = PREFIX + "ssl.bundle";

        /** The name of the bundle, or null without TLS. */
        @Nullable
        String bundleInUse() {
            boolean named = StringUtils.hasText(bundle);
            if (enabled == null ? !named : !enabled) {
                return null;
            }
            if (!named) {
                throw new InvalidConfigurationPropertyValueException(
                        BUNDLE,
                        bundle,
                        "Is required when 'paxoslease.ssl.enabled' is true: name a bundle under 'spring.ssl.bundle'.");
            }
            return bundle;
        }

        InvalidConfigurationPropertyValueException invalid(InvalidOptionException cause) {
            return new InvalidConfigurationPropertyValueException(
                    BUNDLE, bundle, "The bundle " + cause.reason() + ".", cause);
        }
    }

    /**
     * Flease.
     *
     * @param clockBound The most that the wall clocks of any two instances may differ by, the same on every one of them. An
     *     instance whose clock is not known to be within it takes no part.
     */
    record Flease(@DefaultValue("500ms") Duration clockBound) {}

    /**
     * Leases in shared storage.
     *
     * @param directories Directories on shared file systems where the instances meet: one; or 3, 5 or more, of which a minority
     *     may fail.
     * @param dataSources Names of the DataSource beans of the databases where the instances meet: one; or 3, 5 or more, of which a
     *     minority may fail. Together with directories, if there are any. By default, without directories, the application's
     *     DataSource.
     * @param table Name of the table in the databases.
     * @param initialize Whether to create the table, or the directory, when it is missing.
     * @param accessBound The most that any access to the store takes, the same on every instance.
     * @param form How a lease is written. By default in one atomic step where the store has it, which a single database has.
     * @param renewal How a lease is renewed in a store that only reads and writes.
     */
    record Storage(
            @DefaultValue List<String> directories,
            @DefaultValue List<String> dataSources,
            @DefaultValue("paxoslease_register") String table,
            @DefaultValue("false") boolean initialize,
            @DefaultValue("500ms") Duration accessBound,
            StorageOptions.@Nullable Form form,
            @DefaultValue("eventual") StorageOptions.Renewal renewal) {

        private StorageOptions toOptions(Register register) {
            StorageOptions options =
                    StorageOptions.of(register).withAccessBound(accessBound).withRenewal(renewal);
            return form == null ? options : options.withForm(form);
        }
    }

    private static String kebabCase(String option) {
        return option.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

    private static String sentence(String reason) {
        return StringUtils.capitalize(reason) + ".";
    }

    /**
     * One role.
     *
     * @param eligible Whether this node stands for the role. When it is off, the node never leads it.
     * @param leaseTime How long this node keeps the others out at most when it leads the role and has died. By default
     *     'paxoslease.lease-time'.
     * @param coolDown How long this node stands back after it has given the role up, so that another one wins.
     */
    record RoleProperties(
            @DefaultValue("true") boolean eligible,
            @Nullable Duration leaseTime,
            @DefaultValue("1s") Duration coolDown) {

        private static final Duration SHORTEST = Duration.ofMillis(100);
        private static final Duration LONGEST_COOL_DOWN = Duration.ofDays(1);

        private RoleSettings toSettings(String prefix, Duration longest) {
            if (leaseTime != null && (leaseTime.compareTo(SHORTEST) < 0 || leaseTime.compareTo(longest) > 0)) {
                throw new InvalidConfigurationPropertyValueException(
                        prefix + "lease-time",
                        leaseTime,
                        "Must be at least 100 ms and at most 'paxoslease.max-lease-time', which is %d ms."
                                .formatted(longest.toMillis()));
            }
            if (coolDown.isNegative() || coolDown.compareTo(LONGEST_COOL_DOWN) > 0) {
                throw new InvalidConfigurationPropertyValueException(
                        prefix + "cool-down", coolDown, "Must be zero or more, and at most a day.");
            }
            return new RoleSettings(eligible, leaseTime, coolDown);
        }
    }
}
