package io.paxoslease.spring.autoconfigure;

import java.util.List;

/** The cell that the properties name. Any other bean of the connection details takes its place. */
final class PropertiesPaxosLeaseConnectionDetails implements PaxosLeaseConnectionDetails {

    private final PaxosLeaseProperties properties;
    private final String application;

    PropertiesPaxosLeaseConnectionDetails(PaxosLeaseProperties properties, String application) {
        this.properties = properties;
        this.application = application;
    }

    /** Empty on a member. */
    @Override
    public List<String> getContactPoints() {
        return properties.contactPoints();
    }

    @Override
    public String getCell() {
        return CellName.of(properties, application);
    }
}
