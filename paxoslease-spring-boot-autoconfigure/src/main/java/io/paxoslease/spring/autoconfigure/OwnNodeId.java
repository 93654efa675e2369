package io.paxoslease.spring.autoconfigure;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * The id of a member for which none is configured: the name of its host, which is that of its pod on Kubernetes, or its place among the
 * instances on Cloud Foundry, if exactly that is one of the members.
 */
final class OwnNodeId {

    private static final List<String> HOST_VARIABLES = List.of("HOSTNAME", "COMPUTERNAME");
    private static final String INDEX_VARIABLE = "CF_INSTANCE_INDEX";

    private OwnNodeId() {}

    /** The member that this instance is; null if its names tell of none. */
    static @Nullable String among(Set<String> members, Environment environment) {
        for (String name : hostNames(environment)) {
            if (members.contains(name)) {
                return name;
            }
        }
        String index = environment.getProperty(INDEX_VARIABLE, "");
        if (!StringUtils.hasText(index)) {
            return null;
        }
        List<String> numbered = members.stream()
                .filter(id -> id.equals(index) || id.endsWith("-" + index))
                .toList();
        return numbered.size() == 1 ? numbered.get(0) : null;
    }

    /** What was looked for among the members, for a sentence. */
    static String tried(Environment environment) {
        String index = environment.getProperty(INDEX_VARIABLE, "");
        String hosts = "by default it is the host's name, which is %s here".formatted(hostNames(environment));
        return StringUtils.hasText(index)
                ? "%s, or the id that ends with -%s, after %s".formatted(hosts, index, INDEX_VARIABLE)
                : hosts;
    }

    /** As the environment says, and as the system does; each also without its domain. */
    private static Set<String> hostNames(Environment environment) {
        Set<String> names = new LinkedHashSet<>();
        for (String variable : HOST_VARIABLES) {
            add(names, environment.getProperty(variable, ""));
        }
        if (names.isEmpty()) {
            try {
                add(names, InetAddress.getLocalHost().getHostName());
            } catch (UnknownHostException e) {
                add(names, "localhost");
            }
        }
        return names;
    }

    private static void add(Set<String> names, String host) {
        if (StringUtils.hasText(host)) {
            names.add(host);
            int dot = host.indexOf('.');
            names.add(dot > 0 ? host.substring(0, dot) : host);
        }
    }
}
