package io.paxoslease.testcontainers;

import io.paxoslease.spring.autoconfigure.PaxosLeaseConnectionDetails;
import java.util.List;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionDetailsFactory;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionSource;

/** Makes an application under test a client of a {@link PaxosLeaseContainer} with {@code @ServiceConnection}. */
final class PaxosLeaseContainerConnectionDetailsFactory
        extends ContainerConnectionDetailsFactory<PaxosLeaseContainer, PaxosLeaseConnectionDetails> {

    @Override
    protected PaxosLeaseConnectionDetails getContainerConnectionDetails(
            ContainerConnectionSource<PaxosLeaseContainer> source) {
        return new Details(source);
    }

    private static final class Details extends ContainerConnectionDetails<PaxosLeaseContainer>
            implements PaxosLeaseConnectionDetails {

        Details(ContainerConnectionSource<PaxosLeaseContainer> source) {
            super(source);
        }

        @Override
        public List<String> getContactPoints() {
            return List.of(getContainer().getContactPoint());
        }

        @Override
        public String getCell() {
            return getContainer().getCell();
        }
    }
}
