package io.paxoslease.spring.autoconfigure;

import io.paxoslease.InvalidOptionException;
import io.paxoslease.NodeMode;
import io.paxoslease.jdbc.SchemaInitialization;
import io.paxoslease.locks.LockOptions;
import io.paxoslease.spring.autoconfigure.CommaSeparatedConverter.CommaSeparated;
import io.paxoslease.spring.leader.ElectionSettings;
import io.paxoslease.spring.leader.RoleSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.StringUtils;

/**
 * This application's node.
 *
 * @param enabled Whether this application starts a node. If false, a bean with @OnLeader stops the application from
 *     starting.
 * @param algorithm How the instances agree, the same on every instance: 'paxoslease' among themselves, relying on the rate of
 *     clocks only; 'flease' among themselves, with wall clocks that agree within 'paxoslease.flease.clock-bound'; or 'storage'
 *     through a store that all instances reach.
 * @param mode What this node is to its cell: 'member', one of the peers, which vote; 'client', which only requests leases, and
 *     listens nowhere; or 'auto', a member if its id is one of the peers, else a client.
 * @param nodeId Unique id of this node in the cell; of a member, one of those in 'paxoslease.peers', which does not change on a
 *     restart. By default the host name if it is one of the peers, or the peer that ends with a dash and 'CF_INSTANCE_INDEX'. Clients get a
 *     random id at each start by default.
 * @param peers Members of the cell: node id to 'host:port', the same on every node, or in one text, 'a=host:port,b=host:port'. An id with
 *     characters other than lower-case letters, digits and dashes goes in brackets. Required unless 'paxoslease.standalone' is set, or
 *     this node is a client with 'paxoslease.contact-points'.
 * @param contactPoints Where a client asks who the members are, instead of 'paxoslease.peers': 'host:port' of members, or a name
 *     that leads to several. The members tell it the longest lease and the clock drift, too.
 * @param standalone Whether this node is a cell of one, for development and tests: it leads every role and shares its locks
 *     with no other node. The peers are ignored.
 * @param cell Name of the cell, the same on every node, by default 'spring.application.name' or 'paxoslease'. Nodes of another cell
 *     are refused, and in a shared store each cell has leases of its own.
 * @param leaseTime Longest time that a crashed holder keeps other nodes out. By default 10s in a store that only reads and
 *     writes.
 * @param maxLeaseTime Longest lease of the cell, the same on every node. A node that starts is quarantined for somewhat
 *     longer. By default 5s, or the lease time if that is longer.
 * @param clockDrift Bound on the rate error of any node's monotonic clock, the same on every node.
 * @param generation Number of this configuration of the cell, the same on every node: one more at each change of the peers,
 *     'max-lease-time' or 'clock-drift' while the cell serves.
 * @param previousPeers Members of the cell before that change: node id to 'host:port'. They vote too until the change is sealed.
 * @param previousMaxLeaseTime Longest lease of the cell before that change. By default 'paxoslease.max-lease-time'.
 * @param previousClockDrift Bound on the rate error of clocks before that change. By default 'paxoslease.clock-drift'.
 * @param clients Clients of this member.
 * @param bindHost Address to listen on. By default this node's host in 'paxoslease.peers'.
 * @param phase Phase of the elections among the application's lifecycle beans: roles are given up after beans in higher phases have
 *     stopped. By default 2147480575, after the web server has answered its last request and closed its port.
 * @param leadership When this instance leads.
 * @param health The application's health.
 * @param http Answers to HTTP requests that only the leader can serve.
 * @param advertise What this instance tells the others.
 * @param roles Settings of roles, by name. Configured roles are contested even if no bean uses them.
 * @param shards Groups of shards, by name: work in pieces that is spread over the instances.
 * @param locks Locks of the lock registry.
 * @param ssl TLS between the nodes.
 * @param flease Flease.
 * @param storage Leases in shared storage.
 * @param jdbc Tables in databases.
 * @param membershipStore Where the members of the cell are kept outside of them, so that they can change without a restart. A file, a
 *     table or a config map; the same one for every node of the cell.
 */
@ConfigurationProperties(prefix = "paxoslease", ignoreUnknownFields = false)
record PaxosLeaseProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("paxoslease") Algorithm algorithm,
        @DefaultValue("member") NodeMode mode,
        @Nullable String nodeId,
        @DefaultValue @CommaSeparated Map<String, String> peers,
        @DefaultValue List<String> contactPoints,
        @DefaultValue("false") boolean standalone,
        @Nullable String cell,
        @Nullable Duration leaseTime,
        @Nullable Duration maxLeaseTime,
        @DefaultValue("0.1") double clockDrift,
        @DefaultValue("1") int generation,
        @DefaultValue @CommaSeparated Map<String, String> previousPeers,
        @Nullable Duration previousMaxLeaseTime,
        @Nullable Double previousClockDrift,
        @DefaultValue Clients clients,
        @Nullable String bindHost,
        @Nullable Integer phase,
        @DefaultValue Leadership leadership,
        @DefaultValue Health health,
        @DefaultValue Http http,
        @DefaultValue Advertise advertise,
        @DefaultValue Map<String, RoleProperties> roles,
        @DefaultValue Map<String, ShardGroupProperties> shards,
        @DefaultValue Locks locks,
        @DefaultValue Ssl ssl,
        @DefaultValue Flease flease,
        @DefaultValue Storage storage,
        @DefaultValue Jdbc jdbc,
        @DefaultValue Members membershipStore) {

    enum Algorithm {
        PAXOSLEASE,
        FLEASE,
        STORAGE
    }

    static final String PREFIX = "paxoslease.";

    /** Whether this application is a client of a store. A standalone node needs none. */
    boolean usesStore() {
        return algorithm == Algorithm.STORAGE && !standalone;
    }

    Map<String, RoleSettings> toRoleSettings() {
        return RoleProperties.toSettings(this);
    }

    /**
     * Clients of this member.
     *
     * @param enabled Whether this member admits clients.
     * @param max How many clients this member admits at most, up to 100000. By default, in a cell of several that runs PaxosLease,
     *     10000, or one for each 32 KB of the largest heap if that is less.
     * @param maxPerSource How many of them from one address, or one IPv6 network of 64 bits, and with TLS with one certificate. By default
     *     half of 'paxoslease.clients.max', or 64 if that is more.
     */
    record Clients(
            @DefaultValue("true") boolean enabled,
            @Nullable Integer max,
            @Nullable Integer maxPerSource) {}

    /**
     * When this instance leads.
     *
     * @param start From when on this instance contests its roles: 'ready', once the application's runners have returned and it accepts
     *     traffic; or 'started', once its lifecycle beans have started. In a context without a SpringApplication always 'started'.
     */
    record Leadership(@DefaultValue("ready") Start start) {

        enum Start {
            READY,
            STARTED
        }
    }

    /**
     * The application's health.
     *
     * @param noQuorumStatus Health status while no lease can be granted or renewed: no majority answers, the clock is out of Flease's
     *     bound, or the store does not answer. With 'UNKNOWN' the application's health succeeds, so no orchestrator restarts it.
     * @param startingStatus The same before leases could be granted for the first time since the start.
     */
    record Health(
            @DefaultValue("UNKNOWN") String noQuorumStatus,
            @DefaultValue("UNKNOWN") String startingStatus) {}

    /**
     * Answers to HTTP requests that only the leader can serve.
     *
     * @param enabled Whether a request that fails with NotLeaderException is answered with 503, Retry-After and the leader.
     * @param url Base URL of each member, with '{node-id}' or '{host}' for its id or its host in 'paxoslease.peers'.
     * @param urls Base URLs of single instances, by node id; the only ones that clients can have.
     * @param redirect Whether such a request is redirected (307) to the leader if its base URL is known.
     * @param allowedUrls Patterns of the base URLs that other instances may advertise, such as 'https://*.app.svc:8443'. A '*' stands for
     *     one or more characters of one label of the host. By default none is followed.
     */
    record Http(
            @DefaultValue("true") boolean enabled,
            @Nullable String url,
            @DefaultValue Map<String, String> urls,
            @DefaultValue("false") boolean redirect,
            @DefaultValue List<String> allowedUrls) {}

    /**
     * What this instance tells the others.
     *
     * @param url Base URL of this instance as callers reach it. Other instances send requests for the leader there while it leads, if
     *     their 'paxoslease.http.allowed-urls' allow that.
     */
    record Advertise(@Nullable String url) {}

    /** @throws InvalidConfigurationPropertyValueException if a URL is to be advertised by an algorithm that has no notes */
    ElectionSettings.Urls toUrls() {
        if (advertise.url() != null && algorithm != Algorithm.PAXOSLEASE) {
            throw new InvalidConfigurationPropertyValueException(
                    PREFIX + "advertise.url",
                    advertise.url(),
                    "Needs leases with notes, which only PaxosLease has: remove the property, and set 'paxoslease.http.urls.<id>' for this instance on the others.");
        }
        return new ElectionSettings.Urls(http.url(), http.urls(), http.redirect(), http.allowedUrls(), advertise.url());
    }

    /**
     * Locks of the lock registry.
     *
     * @param ttl Time to live of locks that are taken without one: such a lock ends after this time, and each nested lock
     *     asks for this time from then on. By default such locks are renewed automatically while they are held.
     * @param interruptOnLoss Whether the loss of a lock's lease interrupts the thread that holds the lock.
     * @param idleRetention How long this node retains the lease of a lock after the last unlock, so that its next thread
     *     locks without a message. Given up earlier if another node requests the lock. With 0, each unlock releases the lease.
     * @param maxLocalHandoffs The most local hand-offs after another node has requested the lock: how many threads of this node
     *     may unlock in turn before the lease is released. With 1, the thread that holds the lock is the last.
     * @param waitTimeout How long a lock that is taken without a time to wait waits at most; then it throws. By default for ever.
     */
    record Locks(
            @Nullable Duration ttl,
            @DefaultValue("false") boolean interruptOnLoss,
            @DefaultValue("1s") Duration idleRetention,
            @DefaultValue("1") int maxLocalHandoffs,
            @Nullable Duration waitTimeout) {

        private static final String LOCKS = PREFIX + "locks.";

        LockOptions toOptions(Duration maxTtl) {
            if (idleRetention.isNegative()) {
                throw new InvalidConfigurationPropertyValueException(
                        LOCKS + "idle-retention",
                        idleRetention,
                        "Must not be negative; use 0 to release the lease at each unlock.");
            }
            if (maxLocalHandoffs < 1) {
                throw new InvalidConfigurationPropertyValueException(
                        LOCKS + "max-local-handoffs",
                        maxLocalHandoffs,
                        "Must be at least 1: the unlock of the thread that holds the lock counts.");
            }
            if (waitTimeout != null && (waitTimeout.isNegative() || waitTimeout.isZero())) {
                throw new InvalidConfigurationPropertyValueException(
                        LOCKS + "wait-timeout",
                        waitTimeout,
                        "Must be positive; leave it out for locks that wait for ever, and use tryLock to ask once.");
            }
            if (ttl != null && (ttl.isNegative() || ttl.isZero() || ttl.compareTo(maxTtl) > 0)) {
                throw new InvalidConfigurationPropertyValueException(
                        LOCKS + "ttl",
                        ttl,
                        "Must be positive and at most 'paxoslease.max-lease-time', %s; leave it out for locks that are renewed while they are held."
                                .formatted(maxTtl));
            }
            return LockOptions.builder()
                    .leaseTime(ttl)
                    .interruptOnLoss(interruptOnLoss)
                    .idleRetention(idleRetention)
                    .maxLocalHandoffs(maxLocalHandoffs)
                    .waitTimeout(waitTimeout)
                    .build();
        }
    }

    /**
     * TLS between the nodes.
     *
     * @param bundle Name of the SSL bundle with this node's key and certificate, and with the private CA that signs the
     *     certificate of every node. Nodes then use mutual TLS. On every node of the cell or on none.
     * @param enabled Whether the nodes use TLS. By default true with a bundle.
     * @param verifyNodeId Whether a certificate must name the node that presents it, by a DNS entry that is the node id or
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
                        "Is required if 'paxoslease.ssl.enabled' is true: name a bundle under 'spring.ssl.bundle'.");
            }
            return bundle;
        }

        InvalidConfigurationPropertyValueException invalid(InvalidOptionException cause) {
            return new PropertyValueException(BUNDLE, bundle, "The bundle " + cause.reason() + ".", cause);
        }
    }

    /**
     * Flease.
     *
     * @param clockBound Largest difference between the wall clocks of any two instances, the same on every instance. An
     *     instance whose clock is not known to be within it does not take part.
     */
    record Flease(@DefaultValue("500ms") Duration clockBound) {}

    /**
     * Leases in shared storage.
     *
     * @param directories Directories on shared file systems that hold the leases: one; or 3, 5 or more, of which a minority
     *     may fail.
     * @param dataSources Names of the DataSource beans of the databases that hold the leases: one; or 3, 5 or more, of which a
     *     minority may fail. Directories count too. By default, without directories, the application's DataSource.
     * @param table Name of the table in the databases.
     * @param initialize Whether to create a directory that is missing.
     * @param accessBound Longest time that any access to the store takes, the same on every instance.
     * @param writeMode How a lease is written. By default 'compare-and-set' if the store supports it, as a single database
     *     does, otherwise 'read-write'.
     * @param renewal How a lease is renewed in the write mode 'read-write'.
     * @param tokensAbove Fencing tokens are above this number. After the store was restored from a backup: at least every token
     *     that was granted before, the same on every instance.
     */
    record Storage(
            @DefaultValue List<String> directories,
            @DefaultValue List<String> dataSources,
            @DefaultValue("paxoslease_register") String table,
            @DefaultValue("false") boolean initialize,
            @DefaultValue("500ms") Duration accessBound,
            @Nullable WriteMode writeMode,
            @DefaultValue("eventual") Renewal renewal,
            @DefaultValue("0") long tokensAbove) {

        /** As {@code StorageOptions} has it, which may not be there. */
        enum WriteMode {
            COMPARE_AND_SET,
            READ_WRITE
        }

        /** As {@code StorageOptions} has it, which may not be there. */
        enum Renewal {
            KNOWN_DELAY,
            EVENTUAL
        }
    }

    /**
     * Tables in databases: of leases, of members, and of JdbcFence and JdbcRuns beans.
     *
     * @param initializeSchema Which databases get a table that is missing: 'always' all, 'embedded' those in memory, 'never' none.
     *     Otherwise a missing table stops the application from starting.
     */
    record Jdbc(@DefaultValue("embedded") SchemaInitialization initializeSchema) {}

    /**
     * The store of the members.
     *
     * @param file Path of a file on a volume that all nodes share. Its directory must exist.
     * @param table Name of a table in the database of the application's DataSource.
     * @param dataSource Name of the DataSource bean of the database with the table. By default the application's only one.
     * @param configMap Name of a config map, which a node creates if it is missing, in the Kubernetes cluster that the node runs in.
     * @param namespace Namespace of the config map. By default that of the node's pod.
     */
    record Members(
            @Nullable String file,
            @Nullable String table,
            @Nullable String dataSource,
            @Nullable String configMap,
            @Nullable String namespace) {}
}
