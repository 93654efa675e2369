package io.paxoslease.spring.autoconfigure;

import java.util.List;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;

/**
 * Where a cell of members can be reached. Without such a bean the properties say it. A bean of the application makes the application a client of that cell. It takes precedence over the
 * properties that say which cell the application belongs to: {@code paxoslease.mode}, {@code node-id}, {@code peers}, {@code contact-points},
 * {@code standalone}, {@code cell}, {@code algorithm}, {@code membership-store} and those of a change of the members. Several beans are one
 * cell that can be reached at the contact points of all of them.
 *
 * <p>The methods are called when the application's node is made. An empty list, a text that is no address, or beans of different
 * cells stop the application from starting, with an analysis of the failure.
 */
public interface PaxosLeaseConnectionDetails extends ConnectionDetails {

    /**
     * Where to ask at the start who the members are: {@code host:port} of a member, or a name that leads to several, or more than one of
     * these. An IPv6 address stands in brackets. The application then connects to the addresses that the members have for each other.
     */
    List<String> getContactPoints();

    /** Name of the cell, as its members have it ({@code paxoslease.cell}). */
    String getCell();
}
