package io.paxoslease.server;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Answers 403 to a request for another host than the node's: a browser sends such a one for a page whose name was made to point to the node (DNS
 * rebinding), which could read every lease and change the members. Probes that say nothing but up or down are answered by any name.
 */
final class HostFilter extends OncePerRequestFilter {

    private static final Set<String> PROBES = Set.of("/livez", "/readyz");

    private final AllowedHosts hosts;
    private final String property;

    /** @param property by which other hosts are allowed, for the answer */
    HostFilter(AllowedHosts hosts, String property) {
        this.hosts = hosts;
        this.property = property;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        String host = request.getHeader("Host"); // a browser always sends it
        if (host == null || hosts.contains(host) || PROBES.contains(request.getRequestURI())) {
            chain.doFilter(request, response);
            return;
        }
        response.setStatus(HttpServletResponse.SC_FORBIDDEN);
        response.setContentType("text/plain");
        response.setCharacterEncoding(StandardCharsets.UTF_8.name());
        response.getWriter()
                .write(
                        "This node does not serve that host. Ask by the node's address, by its id, by localhost or by the host of a member, or list the name in "
                                + property + "\n");
    }
}
