package io.paxoslease.spring.actuate;

import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.util.ClassUtils;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.util.UriUtils;

/**
 * The lease that a request names. Web frameworks drop empty segments and path parameters before an endpoint sees the
 * path, so the name is compared with the path as sent. If the path as sent is unknown, only the parameter is accepted.
 */
final class RequestedName {

    private static final String PARAMETER = "resource";
    private static final boolean KNOWS_REQUESTS = Stream.of(
                    "jakarta.servlet.http.HttpServletRequest",
                    "org.springframework.web.context.request.ServletRequestAttributes")
            .allMatch(name -> ClassUtils.isPresent(name, RequestedName.class.getClassLoader()));

    private RequestedName() {}

    static String ofParameter(String value) {
        HttpServletRequest request = request();
        String[] values = request == null ? null : request.getParameterValues(PARAMETER);
        if (value.isEmpty() || (values != null && values.length != 1)) {
            throw new InvalidEndpointRequestException(
                    "The parameter '%s' must be given once, with the full name of a lease".formatted(PARAMETER),
                    "Parameter '%s' missing or repeated".formatted(PARAMETER));
        }
        return value;
    }

    /** @throws InvalidEndpointRequestException if the path as sent does not name exactly this */
    static String ofPath(String... segments) {
        HttpServletRequest request = request();
        if (request == null || !names(request.getRequestURI(), segments)) {
            throw ambiguous("The path could mean another lease");
        }
        return String.join("/", segments);
    }

    /** @throws InvalidEndpointRequestException if it is the path of the members as well */
    static String ofLeasePath(String... segments) {
        String name = ofPath(segments);
        if (LeasesEndpoint.MEMBERS.equals(name)) {
            throw ambiguous("The path is that of the members and not of a lease");
        }
        return name;
    }

    private static InvalidEndpointRequestException ambiguous(String why) {
        return new InvalidEndpointRequestException(
                "%s: name it by the parameter, ?%s=...".formatted(why, PARAMETER), "Ambiguous path");
    }

    /**
     * A proxy may protect the path of the members as it is written, so no other one is taken for it.
     *
     * @throws InvalidEndpointRequestException if the path as sent is another one
     */
    static void checkMembers() {
        HttpServletRequest request = request();
        if (request == null || !isOfMembers(request.getRequestURI())) {
            throw new InvalidEndpointRequestException(
                    "The members have the path .../leases/members, as it is written here", "Ambiguous path");
        }
    }

    /** Whether it ends with the segment, and has nothing that a server would drop or decode. */
    static boolean isOfMembers(String path) {
        return path.endsWith("/" + LeasesEndpoint.MEMBERS)
                && path.indexOf(';') < 0
                && path.indexOf('%') < 0
                && path.indexOf('\\') < 0
                && !path.contains("//")
                && !path.contains("/.");
    }

    /** Whether the path ends with these segments, each decoded, without a dropped segment between them. */
    private static boolean names(String path, String... segments) {
        List<String> came = Arrays.asList(path.split("/", -1));
        int first = came.size() - segments.length;
        if (first < 2 || path.indexOf(';') >= 0 || came.get(first - 1).isEmpty()) {
            return false;
        }
        for (int i = 0; i < segments.length; i++) {
            String segment = segments[i];
            boolean plain = !segment.isEmpty()
                    && !segment.equals(".")
                    && !segment.equals("..")
                    && segment.indexOf('/') < 0
                    && segment.indexOf('\\') < 0;
            if (!plain || !segment.equals(decoded(came.get(first + i)))) {
                return false;
            }
        }
        return true;
    }

    private static @Nullable String decoded(String segment) {
        try {
            return UriUtils.decode(segment, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
            return null;
        }
    }

    private static @Nullable HttpServletRequest request() {
        return KNOWS_REQUESTS ? Current.request() : null;
    }

    /** Loaded only where there are servlets. */
    private static final class Current {

        private Current() {}

        static @Nullable HttpServletRequest request() {
            return RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes
                    ? attributes.getRequest()
                    : null;
        }
    }
}
