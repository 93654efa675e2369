package io.paxoslease.samples.cluster.instance;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Set;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Answers requests by this machine's own names only. The instance listens on the loopback address, but a page of any site can make its
 * name resolve to it (DNS rebinding): the browser then lets that page read the answers, and the {@code Host} header tells.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE)
class OwnNamesOnly extends OncePerRequestFilter {

    private static final Set<String> NAMES = Set.of("127.0.0.1", "localhost", "[::1]");

    private static boolean isLoopback(String address) {
        return address.startsWith("127.") || address.equals("::1") || address.equals("0:0:0:0:0:0:0:1");
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        String host = request.getHeader("Host");
        String port = ":" + request.getLocalPort();
        if (!isLoopback(request.getLocalAddr())) {
            chain.doFilter(request, response); // reached over a network, where the operator decides who may
        } else if (host != null
                && host.endsWith(port)
                && NAMES.contains(host.substring(0, host.length() - port.length()))) {
            chain.doFilter(request, response);
        } else {
            response.sendError(
                    HttpServletResponse.SC_FORBIDDEN, "This instance answers to 127.0.0.1 and localhost only");
        }
    }
}
