package io.paxoslease.samples.cluster.instance;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.ServletException;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

class OwnNamesOnlyTest {

    private static int status(String host) throws ServletException, IOException {
        return status(host, "127.0.0.1");
    }

    private static int status(String host, String localAddress) throws ServletException, IOException {
        MockHttpServletRequest request = new MockHttpServletRequest("DELETE", "/actuator/leases/role:billing");
        request.addHeader("Host", host);
        request.setLocalPort(8081);
        request.setLocalAddr(localAddress);
        MockHttpServletResponse response = new MockHttpServletResponse();
        MockFilterChain chain = new MockFilterChain();
        new OwnNamesOnly().doFilter(request, response, chain);
        assertThat(chain.getRequest() == null).isEqualTo(response.getStatus() != 200);
        return response.getStatus();
    }

    /** As in a container, where the port that is called is another one. */
    @Test
    void onAnotherAddressEveryNameIsAnswered() throws Exception {
        assertThat(status("docker.example:49153", "172.18.0.2")).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:8081", "localhost:8081", "[::1]:8081"})
    void theMachinesOwnNamesAreAnswered(String host) throws Exception {
        assertThat(status(host)).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"evil.example:8081", "127.0.0.1:9", "127.0.0.1", "localhost.evil.example:8081", ""})
    void aNameFromAnotherSiteIsRefused(String host) throws Exception {
        assertThat(status(host)).isEqualTo(403);
    }
}
