package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PeerAddressTest {

    @ParameterizedTest
    @CsvSource({
        "10.0.0.7:7400, 10.0.0.7, 7400",
        "node-1.example.org:1, node-1.example.org, 1",
        "my_pod.svc:65535, my_pod.svc, 65535",
        "'  host:7400 ', host, 7400",
        "[::1]:7400, ::1, 7400",
        "[2001:db8::7]:7400, 2001:db8::7, 7400",
        "[fe80::1%2]:7400, fe80::1%2, 7400",
        "[fe80::1%eth0.1]:7400, fe80::1%eth0.1, 7400",
        "[::ffff:10.0.0.7]:7400, ::ffff:10.0.0.7, 7400",
    })
    void aHostAndAPortAreRead(String text, String host, int port) {
        InetSocketAddress address = PeerAddress.parse("peers", "b", text);

        assertThat(address.getHostString()).isEqualTo(host);
        assertThat(address.getPort()).isEqualTo(port);
        assertThat(address.isUnresolved()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "host",
                "host:",
                ":7400",
                "host:port",
                "host:-1",
                "host:123456",
                "host: 7400",
                "ho st:7400",
                "::1:7400",
                "[::1]",
                "[::1]7400",
                "[host]:7400",
                "[::1%]:7400",
                "[%eth0]:7400",
                "http://host:7400",
                "host:7400/path",
                "host:7400,other:7400",
                "host:٧٤٠٠",
            })
    void anythingElseIsRefused(String text) {
        assertThatExceptionOfType(InvalidOptionException.class)
                .isThrownBy(() -> PeerAddress.parse("peers", "b", text))
                .withMessage(
                        "Option 'peers' = '%s': is no address for 'b'; write host:port, for instance "
                                + "10.0.0.7:7400 or [2001:db8::7]:7400",
                        text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"host:0", "host:00000", "host:65536", "[::1]:99999"})
    void aPortIsFrom1To65535(String text) {
        assertThatExceptionOfType(InvalidOptionException.class)
                .isThrownBy(() -> PeerAddress.parse("peers", "b", text))
                .withMessage("Option 'peers' = '%s': the port of 'b' must be from 1 to 65535", text);
    }

    @Test
    void theBuilderRefusesABadAddressAtOnce() {
        assertThatExceptionOfType(InvalidOptionException.class)
                .isThrownBy(() -> PaxosLeaseOptions.builder("a").peer("b", "nonsense"))
                .withMessageContaining("is no address for 'b'");
    }
}
