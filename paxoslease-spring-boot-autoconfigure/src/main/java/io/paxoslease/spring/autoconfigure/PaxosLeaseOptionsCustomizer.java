package io.paxoslease.spring.autoconfigure;

import io.paxoslease.PaxosLeaseOptions;

/**
 * Changes the options of this application's node after the properties have set them. Beans of this type are called in their
 * order, when the node is created. A {@code PaxosLease} bean of the application is not affected.
 */
@FunctionalInterface
public interface PaxosLeaseOptionsCustomizer {

    /**
     * Changes the options.
     *
     * @param options the options so far
     */
    void customize(PaxosLeaseOptions.Builder options);
}
