package io.paxoslease.spring.autoconfigure;

import io.paxoslease.AlgorithmOptions;
import io.paxoslease.InvalidOptionException;
import io.paxoslease.MembershipStore;
import io.paxoslease.NodeMode;
import io.paxoslease.NodeStartException;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.TlsOptions;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.PropertyMapper;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/** The options of a node, made from the properties. An invalid value is reported under the name of its property. */
final class NodeOptions {

    /** The id of a standalone node that has no configured id. */
    static final String LOCAL_NODE_ID = "local";

    private static final String PREFIX = PaxosLeaseProperties.PREFIX;
    private static final Logger log = LoggerFactory.getLogger(NodeOptions.class);

    private static final int LONGEST_NAME = 100;
    private static final String IN_TESTS =
            " Tests have that by default with the dependency io.paxoslease:paxoslease-spring-boot-test in test scope.";

    private final PaxosLeaseProperties properties;
    private final @Nullable CellDetails details;
    private final Environment environment;
    private final String application;
    private final Map<String, String> peers;
    private final Map<String, String> previousPeers;
    private final List<PaxosLeaseOptionsCustomizer> customizers;

    NodeOptions(CellDetails details, List<PaxosLeaseOptionsCustomizer> customizers, Environment environment) {
        this.properties = details.properties();
        this.details = details.source() == null ? null : details;
        this.customizers = customizers;
        this.environment = environment;
        this.application = CellName.application(environment);
        this.peers = this.details == null ? members("peers", properties.peers()) : Map.of();
        this.previousPeers = this.details == null ? members("previous-peers", properties.previousPeers()) : Map.of();
    }

    private Map<String, String> members(String name, Map<String, String> bound) {
        return ConfiguredMembers.read(PREFIX + name, bound, environment);
    }

    /**
     * @param members supplies the store of the members, or null for none; called only if the properties alone name the cell, and this node is
     *     not standalone
     */
    PaxosLeaseOptions build(
            @Nullable TlsOptions tls,
            Supplier<AlgorithmOptions> algorithm,
            Supplier<@Nullable MembershipStore> members) {
        try {
            PaxosLeaseOptions.Builder builder = builder(algorithm).tls(tls);
            if (!properties.standalone() && details == null) {
                builder.membershipStore(members.get());
            }
            customizers.forEach(each -> each.customize(builder));
            return builder.build();
        } catch (InvalidOptionException invalid) {
            NodeStartException ofDetails = details == null ? null : details.invalid(invalid);
            if (ofDetails != null) {
                throw ofDetails;
            }
            switch (invalid.option()) {
                case "tls" -> throw properties.ssl().invalid(invalid);
                case "cell" -> throw CellName.invalid(properties, invalid);
                default -> {}
            }
            throw new PropertyValueException(
                    PropertyNames.ofOption(invalid.option()),
                    invalid.value(),
                    StringUtils.capitalize(PropertyNames.inText(invalid.reason())) + ".",
                    invalid);
        }
    }

    private PaxosLeaseOptions.Builder builder(Supplier<AlgorithmOptions> algorithm) {
        String bindHost = properties.bindHost();
        String nodeId = nodeId();
        PaxosLeaseOptions.Builder builder = (nodeId == null
                        ? PaxosLeaseOptions.builder()
                        : PaxosLeaseOptions.builder(nodeId))
                .mode(properties.standalone() ? NodeMode.MEMBER : properties.mode())
                .application(shown(application))
                .peers(requiredPeers(usesContactPoints()))
                .cell(CellName.of(properties, application))
                .clockDrift(properties.clockDrift())
                .bindHost(StringUtils.hasText(bindHost) ? bindHost : null);
        if (usesContactPoints()) {
            properties.contactPoints().forEach(builder::contactPoint);
        }
        PropertyMapper ifSet = PropertyMapper.get();
        ifSet.from(properties.clients().enabled() ? properties.clients().max() : Integer.valueOf(0))
                .to(builder::maxClients);
        ifSet.from(properties.clients().maxPerSource()).to(builder::maxClientsPerSource);
        ifSet.from(properties.leaseTime()).to(builder::leaseTime);
        ifSet.from(properties.maxLeaseTime()).to(builder::maxLeaseTime);
        if (!properties.standalone()) { // from one configuration of the cell to the next
            builder.generation(properties.generation()).previousPeers(previousPeers);
            ifSet.from(properties.previousMaxLeaseTime()).to(builder::previousMaxLeaseTime);
            ifSet.from(properties.previousClockDrift()).to(builder::previousClockDrift);
        }
        if (properties.usesStore()) {
            CellName.warnOfSharedStore(properties, application);
        }
        builder.algorithm(algorithm.get());
        return builder;
    }

    private boolean usesContactPoints() {
        return !properties.contactPoints().isEmpty() && !properties.standalone() && !properties.usesStore();
    }

    private Map<String, String> requiredPeers(boolean hasContactPoints) {
        boolean isListed = !peers.isEmpty() || !properties.contactPoints().isEmpty();
        String list = PREFIX + (peers.isEmpty() ? "contact-points" : "peers");
        if (properties.standalone()) {
            if (isListed) {
                log.warn(
                        "{} is ignored, because paxoslease.standalone is true: this instance leads every role,"
                                + " and so does every other instance with that setting",
                        list);
            }
            return Map.of();
        }
        if (properties.usesStore()) {
            if (isListed) {
                log.info(
                        "{} is not used: with paxoslease.algorithm=storage the instances agree through the store",
                        list);
            }
            return Map.of();
        }
        if (peers.isEmpty() && !hasContactPoints && properties.mode() != NodeMode.CLIENT) {
            throw missing(
                    "peers",
                    "List every instance of this application, this one included, for instance"
                            + " 'paxoslease.peers=a=10.0.0.1:7400,b=10.0.0.2:7400,c=10.0.0.3:7400'. For development and tests, 'paxoslease.standalone=true'"
                            + " makes this instance a cell of its own, which leads every role."
                            + (StandaloneWarning.isInTest(getClass().getClassLoader()) ? IN_TESTS : ""));
        }
        return peers;
    }

    /** An application's name may have characters that a name in logs must not have. */
    static String shown(String name) {
        String plain = name.replaceAll("[^A-Za-z0-9._-]", "-");
        return plain.length() > LONGEST_NAME ? plain.substring(0, LONGEST_NAME) : plain;
    }

    /** Null: it is made. */
    private @Nullable String nodeId() {
        String nodeId = properties.nodeId();
        if (nodeId != null && StringUtils.hasText(nodeId)) {
            return nodeId;
        }
        if (properties.usesStore()) {
            return "client-" + UUID.randomUUID().toString().substring(0, 8);
        }
        if (properties.standalone()) {
            return LOCAL_NODE_ID;
        }
        if (properties.mode() == NodeMode.CLIENT || peers.isEmpty()) {
            return null;
        }
        Set<String> members = new LinkedHashSet<>(peers.keySet());
        members.addAll(previousPeers.keySet());
        String own = OwnNodeId.among(members, environment);
        if (own != null || properties.mode() == NodeMode.AUTO) {
            return own;
        }
        throw missing(
                "node-id",
                "Set it to this node's id, which is one of %s and another on every node (%s); or set 'paxoslease.mode' to 'auto' or 'client' if this node need not vote."
                        .formatted(members, OwnNodeId.tried(environment)));
    }

    private static NodeStartException missing(String property, String action) {
        return new NodeStartException(
                "The configuration property '%s' is missing.".formatted(PREFIX + property), action, null);
    }
}
