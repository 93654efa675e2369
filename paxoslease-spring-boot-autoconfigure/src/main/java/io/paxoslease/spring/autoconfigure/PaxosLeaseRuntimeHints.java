package io.paxoslease.spring.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Keeps in a native image the statements that create tables, and the fields of Spring Integration by which endpoints of a role are found and guarded. */
final class PaxosLeaseRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources()
                .registerPattern("io/paxoslease/jdbc/schema.sql")
                .registerPattern("io/paxoslease/spring/fencing/*.sql");
        hints.reflection()
                .registerTypeIfPresent(
                        classLoader,
                        "org.springframework.integration.endpoint.AbstractPollingEndpoint",
                        hint -> hint.withField("adviceChain"))
                .registerTypeIfPresent(
                        classLoader,
                        "org.springframework.integration.support.SmartLifecycleRoleController",
                        hint -> hint.withField("lifecycles"));
    }
}
