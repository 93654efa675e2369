package io.paxoslease.samples.cluster;

import com.sun.net.httpserver.Headers;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keeps every other page in the user's browser away from the control endpoint, and this page from everything but the
 * cell.
 *
 * @param origin of the page
 * @param cellOrigins of the instances, which the page reads
 */
record PageGuard(String origin, List<String> cellOrigins) {

    /**
     * Only a script can set it, and one of another origin must ask first, with a request that is refused. The value does
     * not matter.
     */
    static final String CONTROL_HEADER = "X-Cell-Control";

    private static final String SCHEME = "http://";

    /** Why the request is refused; null when it is not. */
    @Nullable
    String problem(String method, Headers request) {
        // The Host header reveals another site's name that resolves to this machine (DNS rebinding).
        if (!origin.equals(SCHEME + request.getFirst("Host"))) {
            return "this is " + origin + ", whatever that name says";
        }
        String from = request.getFirst("Origin");
        if (from != null && !from.equals(origin)) {
            return "pages of other origins may not use this";
        }
        if (method.equals("POST") && request.getFirst(CONTROL_HEADER) == null) {
            return "a request that changes something needs the header " + CONTROL_HEADER;
        }
        return null;
    }

    /** Whether the request has the page's other name, which is sent to the one that it has everywhere. */
    boolean isLocalhost(Headers request) {
        return origin.replace(Node.HOST, "localhost").equals(SCHEME + request.getFirst("Host"));
    }

    void protect(Headers response) {
        response.set(
                "Content-Security-Policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self' "
                        + String.join(" ", cellOrigins)
                        + "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
        response.set("X-Content-Type-Options", "nosniff");
        response.set("X-Frame-Options", "DENY");
        response.set("Referrer-Policy", "no-referrer");
        response.set("Cross-Origin-Opener-Policy", "same-origin");
        response.set("Cross-Origin-Resource-Policy", "same-origin");
        response.set("Cache-Control", "no-store");
    }
}
