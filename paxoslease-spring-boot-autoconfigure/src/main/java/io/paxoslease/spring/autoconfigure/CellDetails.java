package io.paxoslease.spring.autoconfigure;

import io.paxoslease.InvalidOptionException;
import io.paxoslease.NodeMode;
import io.paxoslease.NodeStartException;
import io.paxoslease.protocol.Printable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.env.Environment;

/**
 * The cell that the connection details name.
 *
 * @param properties this application's settings; of a client of the cell, unless the properties themselves name the cell
 * @param source the types of the beans, for messages; null if the properties name the cell
 */
record CellDetails(
        PaxosLeaseProperties properties, @Nullable String source) {

    private static final Logger log = LoggerFactory.getLogger(CellDetails.class);
    private static final PaxosLeaseProperties.Members NO_STORE =
            new PaxosLeaseProperties.Members(null, null, null, null, null);

    /**
     * The cell of all beans.
     *
     * @throws NodeStartException if they name no contact point, or different cells
     */
    static CellDetails of(ObjectProvider<PaxosLeaseConnectionDetails> beans, PaxosLeaseProperties configured) {
        List<PaxosLeaseConnectionDetails> all = beans.orderedStream().toList();
        if (all.stream().allMatch(PropertiesPaxosLeaseConnectionDetails.class::isInstance)) {
            return new CellDetails(configured, null);
        }
        String source =
                all.stream().map(each -> each.getClass().getName()).distinct().collect(Collectors.joining(", "));
        List<String> cells = all.stream()
                .map(PaxosLeaseConnectionDetails::getCell)
                .distinct()
                .toList();
        if (cells.size() > 1) {
            throw new NodeStartException(
                    "The connection details name more than one cell: %s (%s).".formatted(cells, source),
                    "An application belongs to one cell: give all its members the same paxoslease.cell, or remove the details of the others.",
                    null);
        }
        List<String> contactPoints = all.stream()
                .flatMap(each -> each.getContactPoints().stream())
                .distinct()
                .toList();
        if (contactPoints.isEmpty()) {
            throw new NodeStartException(
                    "The connection details name no contact point (%s).".formatted(source),
                    "Return 'host:port' of at least one member of the cell, or remove the bean.",
                    null);
        }
        return new CellDetails(clientOf(cells.get(0), contactPoints, configured), source);
    }

    private static PaxosLeaseProperties clientOf(String cell, List<String> contactPoints, PaxosLeaseProperties other) {
        return new PaxosLeaseProperties(
                other.enabled(),
                PaxosLeaseProperties.Algorithm.PAXOSLEASE,
                NodeMode.CLIENT,
                null, // contexts that tests keep run at the same time, so an id that is configured would be there twice
                Map.of(),
                contactPoints,
                false,
                cell,
                other.leaseTime(),
                other.maxLeaseTime(),
                other.clockDrift(),
                1,
                Map.of(),
                null,
                null,
                other.clients(),
                other.bindHost(),
                other.phase(),
                other.leadership(),
                other.health(),
                other.http(),
                other.advertise(),
                other.roles(),
                other.shards(),
                other.locks(),
                other.ssl(),
                other.flease(),
                other.storage(),
                other.jdbc(),
                NO_STORE);
    }

    /** Says which cell it is, and which properties would say it otherwise; nothing if they do say it. */
    void report(PaxosLeaseProperties configured, Environment environment) {
        if (source == null) {
            return;
        }
        List<String> unused = unused(configured, environment);
        log.info(
                "This application is a client of cell '{}' at {}, by its connection details ({}){}",
                Printable.name(properties.cell()),
                Printable.line(properties.contactPoints()),
                Printable.text(source),
                unused.isEmpty() ? "" : Printable.line("; not used: " + String.join(", ", unused)));
    }

    private List<String> unused(PaxosLeaseProperties configured, Environment environment) {
        Map<String, Boolean> isSet = new LinkedHashMap<>();
        isSet.put("peers", !configured.peers().isEmpty());
        isSet.put("contact-points", !configured.contactPoints().isEmpty());
        isSet.put("standalone", configured.standalone() && StandaloneByDefault.in(environment) == null);
        isSet.put("algorithm", configured.algorithm() != PaxosLeaseProperties.Algorithm.PAXOSLEASE);
        isSet.put("cell", configured.cell() != null && !configured.cell().equals(properties.cell()));
        isSet.put("node-id", configured.nodeId() != null);
        isSet.put("membership-store", !configured.membershipStore().equals(NO_STORE));
        isSet.values().removeIf(set -> !set);
        return isSet.keySet().stream().map(PaxosLeaseProperties.PREFIX::concat).toList();
    }

    /** Null if the option is not of these details. */
    @Nullable
    NodeStartException invalid(InvalidOptionException invalid) {
        String what =
                switch (invalid.option()) {
                    case "contactPoints" -> "contact point";
                    case "cell" -> "name of a cell";
                    default -> null;
                };
        return what == null
                ? null
                : new NodeStartException(
                        "The connection details have an invalid %s: '%s' %s (%s)."
                                .formatted(
                                        what,
                                        Objects.toString(invalid.value(), ""),
                                        PropertyNames.inText(invalid.reason()),
                                        source),
                        "Return another one from the bean.",
                        invalid);
    }
}
