package io.paxoslease.transport.netty;

/**
 * How many clients a member admits.
 *
 * @param most at most; zero: none
 * @param mostPerSource of them from one address, and with TLS with one certificate
 */
public record ClientLimits(int most, int mostPerSource) {

    public static final ClientLimits NONE = new ClientLimits(0, 0);
}
